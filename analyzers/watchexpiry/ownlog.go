package watchexpiry

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// tooOld tells of watches that ended since their version was too old, as the
// own log of the program that watches says: in an audit log such a watch has
// code 200. One now and then is everyday life.
func tooOld(p *analysis.Pass) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LineTooOld)
	type watched struct{ log, what string }
	var findings []analysis.Finding
	for w, refs := range analysis.LinesBy(lines, func(l *analysis.OwnLine) (watched, bool) { return watched{l.Log, l.Name}, true }) {
		if len(refs) < fewest {
			continue
		}
		most := mostWithin(refs, p.Duration(optWindow))
		f := analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(refs), Subject: analysis.Subject{Name: w.what},
			First: refs[0].Time, Last: refs[len(refs)-1].Time,
			Title: analysis.Plain(fmt.Sprintf("%d watches of %s ended because their version was too old, as %s says", len(refs), w.what, w.log)),
			Details: analysis.Details{
				"kind": "too-old", "expired": len(refs), "gone": len(refs), "relists": 0, "watches": len(refs), "mostInWindow": most,
			},
			Evidence: analysis.CiteFirst(refs),
		}
		if most >= max(2, p.Int(optExpired)) {
			f.Severity = analysis.Warning
		}
		findings = append(findings, f)
	}
	return findings
}

// mostWithin returns how many of refs, in order of time, lie within a window.
func mostWithin(refs []audit.Ref, window time.Duration) (most int) {
	first, window := 0, max(window, 0)
	for i := range refs {
		for refs[i].Time.Sub(refs[first].Time) > window {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
