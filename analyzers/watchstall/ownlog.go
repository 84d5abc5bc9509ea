package watchstall

import (
	"fmt"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// forced tells, by resource, of watches that API servers closed since their
// clients did not read: only the own log of the server says so, and not whose
// they were.
func forced(p *analysis.Pass) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LineForcedClose)
	var order []analysis.Subject
	of := map[analysis.Subject][]audit.Ref{}
	for _, line := range lines {
		subject := analysis.Subject{APIGroup: line.Group, Resource: line.Resource}
		if subject.Resource == "" {
			subject.Resource = "*" // servers before 1.21 name the type of an event
		}
		if of[subject] == nil {
			order = append(order, subject)
		}
		of[subject] = append(of[subject], line.Ref)
	}
	var findings []analysis.Finding
	for _, subject := range order {
		refs := of[subject]
		f := analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(refs), Subject: subject,
			First: refs[0].Time, Last: refs[len(refs)-1].Time,
			Title: analysis.Plain(fmt.Sprintf("the API server closed %s of %s whose clients did not read fast enough, as its own log says",
				watches(len(refs)), subject.Resource)),
			Details:  analysis.Details{"kind": "forced-close", "stalled": len(refs), "overdueSeconds": 0.0, "open": 0},
			Evidence: analysis.Cite(refs[:min(len(refs), analysis.MaxEvidence)]...),
			Caveats:  []string{"whose watches they were is not told; a burst of writes fills the buffer of a healthy client too"},
		}
		if len(refs) >= max(2, p.Int(optCutShort)) {
			f.Severity = analysis.Warning
		}
		findings = append(findings, f)
	}
	return findings
}
