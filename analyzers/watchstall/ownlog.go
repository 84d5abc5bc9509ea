package watchstall

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// forced returns findings, by resource, of watches that API servers closed because their
// clients did not read. Nothing but a server's own log says so, and not whose they were.
func forced(p *analysis.Pass) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LineForcedClose)
	about := func(l *analysis.OwnLine) (analysis.Subject, bool) {
		resource := cmp.Or(l.Resource, analysis.AnyResource) // servers before 1.21 name the type of an event
		return analysis.Subject{APIGroup: l.Group, Resource: resource}, true
	}
	var findings []analysis.Finding
	for subject, refs := range analysis.LinesBy(once(lines), about) {
		f := analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(refs), Subject: subject,
			First: refs[0].Time, Last: refs[len(refs)-1].Time,
			Title: analysis.Plain(fmt.Sprintf("the API server closed %s of %s whose clients did not read fast enough, as its own log says",
				watches(len(refs)), subject.Resource)),
			Details:  analysis.Details{"kind": "forced-close", "stalled": len(refs), "overdueSeconds": 0.0, "open": 0},
			Evidence: analysis.CiteFirst(refs),
			Caveats:  []string{"whose watches they were is not told; a burst of writes fills the buffer of a healthy client too"},
		}
		if len(refs) >= max(2, p.Int(optCutShort)) {
			f.Severity = analysis.Warning
		}
		findings = append(findings, f)
	}
	return findings
}

// doubled is how far apart the two lines of one closing may be. They are microseconds
// apart as a rule, but a server may be under load.
const doubled = 100 * time.Millisecond

// once drops the first of two lines about one closing. Up to kubernetes pull request 120124
// the function that logs the first line calls one that logs another, "graceful = false".
func once(lines []analysis.OwnLine) []analysis.OwnLine {
	type watch struct{ log, group, resource string }
	single := map[watch][]int{} // those that had no second line yet
	double := map[int]bool{}
	for i, line := range lines {
		w := watch{line.Log, line.Group, line.Resource}
		if !strings.Contains(line.Value, "graceful = ") {
			single[w] = append(single[w], i)
			continue
		}
		if n := len(single[w]); n > 0 && line.Ref.Time.Sub(lines[single[w][n-1]].Ref.Time) <= doubled {
			double[single[w][n-1]] = true
			single[w] = single[w][:n-1]
		}
	}
	var kept []analysis.OwnLine
	for i, line := range lines {
		if !double[i] {
			kept = append(kept, line)
		}
	}
	return kept
}
