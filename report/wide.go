package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// wideWidth is the least width of the wide table, which is for large terminals and
// files.
const wideWidth = 140

// wide writes findings with their subjects: client and object.
func (p *page) wide(title string, findings []analysis.Finding, clock clock, course course) error {
	columns := []column{
		{title: "SEVERITY", width: len("confirmed")},
		{title: title},
		{title: "COUNT", width: countWidth(findings), right: true},
		{title: "UTC", width: clock.width()},
		{title: "CLIENT", width: widest(findings, 24, p.width/5, func(f *analysis.Finding) string { return Clean(f.Subject.User) })},
		{title: "OBJECT", width: widest(findings, 6, p.width/5, func(f *analysis.Finding) string { return object(&f.Subject) })},
		{title: "WHERE", width: widest(findings, 5, p.width/7, where)},
	}
	room := rest(columns, p.width)
	var rows [][]string
	for i := range findings {
		f := &findings[i]
		s := &f.Subject
		rows = spaced(rows, []string{
			p.verdict(f),
			wrapAll(room, Clean(f.Analyzer), Clean(f.Title)),
			strconv.Itoa(f.Count),
			course.below(clock.window(f), f, clock.width()),
			wrapAll(columns[4].width, Clean(s.User), Clean(s.UserAgent), Clean(s.SourceIP)),
			wrapAll(columns[5].width, object(s)),
			whereIn(f, columns[6].width),
		})
	}
	return p.grid(columns, rows)
}

// object names what a finding is about: shop/endpoints/cart, nodes/n1.
func object(s *analysis.Subject) string {
	resource := s.Resource
	if s.APIGroup != "" {
		resource += "." + s.APIGroup
	}
	var parts []string
	for _, part := range []string{s.Namespace, resource, s.Name, s.Subresource} {
		if part != "" {
			parts = append(parts, Clean(part))
		}
	}
	if s.Node != "" {
		parts = append(parts, "node "+Clean(s.Node))
	}
	return strings.Join(parts, "/")
}

// proofs writes the evidence and the caveats of each finding.
func (p *page) proofs(findings []analysis.Finding) {
	if len(findings) == 0 {
		return
	}
	p.heading("Evidence")
	for i := range findings {
		f := &findings[i]
		p.para(2, fmt.Sprintf("%s: %s", Clean(f.ID), Clean(f.Title)))
		for _, e := range f.Evidence {
			p.cited(4, fmt.Sprintf("%s:%d", Clean(e.Source), e.Line), fmt.Sprintf("%s %s %s [%s]", e.Time, e.Stage, Clean(e.Summary), Clean(e.AuditID)))
		}
		for _, caveat := range f.Caveats {
			p.item(4, 8, "but", prose(caveat))
		}
	}
}
