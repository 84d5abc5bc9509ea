package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/report/picture"
)

// An outline is what a document contains, in order: incidents with their findings, the
// findings that belong to none, and long sessions.
type outline struct {
	stories  []story
	others   []*analysis.Finding
	sessions []*analysis.Finding
	left     int // how many others and sessions the document has no room for
}

// A story is an incident with all its findings, even those that the minima hide.
type story struct {
	*incident.Incident
	findings []*analysis.Finding
}

// mostFindings is how many findings a document has beside those of incidents. Nobody
// reads more, and JSON has all.
const mostFindings = 100

// outline returns the outline of what the minima of o let through.
func (r *Report) outline(o Options) outline {
	var out outline
	for _, in := range r.shownIncidents(o) {
		s := story{Incident: in}
		for _, id := range in.Findings {
			i := slices.IndexFunc(r.Findings, func(f analysis.Finding) bool { return f.ID == id })
			if i >= 0 {
				s.findings = append(s.findings, &r.Findings[i])
			}
		}
		out.stories = append(out.stories, s)
	}
	for _, f := range r.untold(o) {
		switch {
		case len(out.others)+len(out.sessions) == mostFindings:
			out.left++
		case isLongSession(f):
			out.sessions = append(out.sessions, f)
		default:
			out.others = append(out.others, f)
		}
	}
	return out
}

// shownIncidents returns the incidents that the minima of o let through.
func (r *Report) shownIncidents(o Options) []*incident.Incident {
	var shown []*incident.Incident
	for i := range r.Incidents {
		in := &r.Incidents[i]
		if in.Severity.Rank() >= o.minSeverity().Rank() && in.Confidence.Rank() >= o.minConfidence().Rank() {
			shown = append(shown, in)
		}
	}
	return shown
}

// all returns the findings of the outline in order, each once.
func (out *outline) all() []analysis.Finding {
	var all []analysis.Finding
	seen := map[string]bool{}
	add := func(findings []*analysis.Finding) {
		for _, f := range findings {
			if !seen[f.ID] {
				seen[f.ID] = true
				all = append(all, *f)
			}
		}
	}
	for i := range out.stories {
		add(out.stories[i].findings)
	}
	add(out.others)
	add(out.sessions)
	return all
}

// headline says in one line what was found.
func (r *Report) headline(out *outline) string {
	switch faults := len(out.others); {
	case !r.Input.told():
		return "No audit event was read"
	case len(out.stories) == 1:
		return titleOf(out.stories[0].Incident)
	case len(out.stories) > 1:
		return fmt.Sprintf("%s, the worst of them %s", analysis.Counted(len(out.stories), "incident"), out.stories[0].Severity)
	case faults == 1:
		return Clean(upper(out.others[0]))
	case faults > 1:
		return fmt.Sprintf("%s, the worst of them %s", analysis.Counted(faults+out.left, "finding"), out.others[0].Severity)
	case len(out.sessions) > 0:
		return "Nothing found but long sessions"
	}
	return "Nothing found"
}

// leftOut says how many findings the document has no room for.
func (out *outline) leftOut() string {
	if out.left == 0 {
		return ""
	}
	return fmt.Sprintf("%s are left out here: the JSON report has them.", analysis.Counted(out.left, "more finding"))
}

// span returns the time that the report is about.
func (r *Report) span() picture.Span {
	s := picture.Span{From: r.Input.First, To: r.Input.Last}
	if s.From != 0 {
		return s
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if s.From == 0 || f.First != 0 && f.First < s.From {
			s.From = f.First
		}
		s.To = max(s.To, f.Last)
	}
	return s
}

// client names who a finding is about: user, program and address.
func client(s *analysis.Subject) string {
	var parts []string
	for _, part := range []string{s.User, s.UserAgent, s.SourceIP} {
		if part != "" {
			parts = append(parts, Clean(part))
		}
	}
	return strings.Join(parts, ", ")
}
