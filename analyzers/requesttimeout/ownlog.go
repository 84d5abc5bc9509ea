package requesttimeout

import (
	"fmt"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// ownLog reports, where there are no audit events, what an API server's own log
// says: "Timeout or abort while handling". With audit events it says nothing
// new. Watches are cut so every day, and so are proxied requests.
func ownLog(p *analysis.Pass) (findings []analysis.Finding) {
	if p.Facts.Events > p.Facts.HTTPLog {
		return nil
	}
	lines, _ := p.Facts.OwnLines(audit.LineAborted)
	var order []analysis.Subject
	of := map[analysis.Subject][]audit.Ref{}
	for _, line := range lines {
		subject := analysis.Subject{APIGroup: line.Group, Resource: line.Resource}
		if line.Verb == audit.VerbWatch.String() || line.Verb == audit.VerbProxy.String() || line.Resource == "" {
			continue
		}
		if of[subject] == nil {
			order = append(order, subject)
		}
		of[subject] = append(of[subject], line.Ref)
	}
	for _, subject := range order {
		refs := of[subject]
		findings = append(findings, analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Likely, Count: len(refs), Subject: subject,
			First: refs[0].Time, Last: refs[len(refs)-1].Time,
			Title: analysis.Plain(fmt.Sprintf("%s for %s ran into a timeout or %s cut off, as the API server's own log says",
				analysis.Counted(len(refs), "request"), subject.Resource, map[bool]string{true: "was", false: "were"}[len(refs) == 1])),
			Details: analysis.Details{
				"timeouts": 0, "etcdTimeouts": 0, "overruns": 0, "unfinished": 0, "ownTimeouts": 0, "clientAborts": 0, "maxSeconds": 0.0,
				"timeoutSeconds": p.Duration(optTimeout).Seconds(), "timeoutInferred": false, "verbs": []string{}, "timeoutsOrAborts": len(refs),
			},
			Evidence: analysis.Cite(refs[:min(len(refs), analysis.MaxEvidence)]...),
			Caveats:  []string{"the line does not tell a timeout of the server from a connection that was cut on purpose"},
		})
	}
	return findings
}
