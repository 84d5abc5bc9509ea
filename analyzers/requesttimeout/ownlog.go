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
	about := func(l *analysis.OwnLine) (analysis.Subject, bool) {
		everyday := l.Verb == audit.VerbWatch.String() || l.Verb == audit.VerbProxy.String()
		return analysis.Subject{APIGroup: l.Group, Resource: l.Resource}, l.Resource != "" && !everyday
	}
	for subject, refs := range analysis.LinesBy(lines, about) {
		were := "were"
		if len(refs) == 1 {
			were = "was"
		}
		findings = append(findings, analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Likely, Count: len(refs), Subject: subject,
			First: refs[0].Time, Last: refs[len(refs)-1].Time,
			Title: analysis.Plain(fmt.Sprintf("%s for %s ran into a timeout or %s cut off, as the API server's own log says",
				analysis.Counted(len(refs), "request"), subject.Resource, were)),
			Details: analysis.Details{
				"timeouts": 0, "etcdTimeouts": 0, "overruns": 0, "unfinished": 0, "ownTimeouts": 0, "clientAborts": 0, "maxSeconds": 0.0,
				"timeoutSeconds": p.Duration(optTimeout).Seconds(), "timeoutInferred": false, "verbs": []string{}, "timeoutsOrAborts": len(refs),
			},
			Evidence: analysis.CiteFirst(refs),
			Caveats:  []string{"the line does not tell a timeout of the server from a connection that was cut on purpose"},
		})
	}
	return findings
}
