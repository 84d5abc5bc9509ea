package heartbeatgap

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// pause is how long a kubelet must have been content between two rows of
// heartbeats without an answer: it tries every ten seconds.
const pause = 5 * time.Minute

// detailUnanswered is how many heartbeats in silences had no answer, as
// kubelets say themselves.
const detailUnanswered = "unansweredBeats"

// ownBeats are heartbeats that had no answer, by node and in order of time, as
// the kubelets' own logs say. An API server that never got them logs nothing.
type ownBeats struct {
	grace time.Duration
	lines map[string][]analysis.OwnLine
}

func newOwnBeats(p *analysis.Pass) ownBeats {
	beats := ownBeats{grace: p.Duration(optGrace), lines: map[string][]analysis.OwnLine{}}
	lines, _ := p.Facts.OwnLines(audit.LineNodeStatus)
	for _, line := range lines {
		beats.lines[line.Name] = append(beats.lines[line.Name], line)
	}
	return beats
}

// vouch adds to a silence what the kubelet says of it, and takes it out, since
// it is told then. A kubelet that waits in vain all the while talks to no other
// API server; but a clock that is a guess proves nothing, nor do lines about
// beats that reached this API server or, by their lease, another.
func (b *ownBeats) vouch(f *analysis.Finding) {
	var within, others []analysis.OwnLine
	var sure []audit.Time
	for _, line := range b.lines[f.Subject.Node] {
		if line.Ref.Time < f.First || line.Ref.Time > f.Last.Add(aside) {
			others = append(others, line)
			continue
		}
		within = append(within, line)
		if !line.Guessed {
			sure = append(sure, line.Ref.Time)
		}
	}
	b.lines[f.Subject.Node] = others
	if len(within) == 0 {
		return
	}
	f.Details[detailUnanswered] = len(within)
	refs := []audit.Ref{within[0].Ref}
	if last := within[len(within)-1].Ref; len(within) > 1 {
		refs = append(refs, last)
	}
	f.Last = max(f.Last, refs[len(refs)-1].Time) // a kubelet writes when it gave up
	f.Evidence = append(f.Evidence, analysis.Cite(refs...)...)
	if kind := kindOf(f); kind != kindReturned && kind != patternNever {
		return
	}
	if len(sure) > 0 && sure[len(sure)-1].Sub(sure[0]) >= b.grace {
		f.Confidence, f.Caveats = analysis.Confirmed, nil
	}
}

// unansweredBeats adds up what silences were vouched for with.
func unansweredBeats(row []analysis.Finding) (n int) {
	for i := range row {
		n += row[i].Details.Int(detailUnanswered)
	}
	return n
}

// unanswered tells of those in no silence that audit events show.
func (b *ownBeats) unanswered(p *analysis.Pass) (findings []analysis.Finding) {
	for _, name := range slices.Sorted(maps.Keys(b.lines)) {
		var row []audit.Ref
		for _, line := range b.lines[name] {
			if n := len(row); n > 0 && line.Ref.Time.Sub(row[n-1].Time) > pause {
				findings = append(findings, unansweredRow(p, name, row))
				row = nil
			}
			row = append(row, line.Ref)
		}
		if len(row) > 0 {
			findings = append(findings, unansweredRow(p, name, row))
		}
	}
	return findings
}

func unansweredRow(p *analysis.Pass, node string, row []audit.Ref) analysis.Finding {
	first, last := row[0].Time, row[len(row)-1].Time
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(row),
		Subject: analysis.Subject{Node: node}, First: first, Last: last,
		Title: fmt.Sprintf("the kubelet of node %s had no answer to %s within %s, as its own log says",
			analysis.Plain(node), analysis.Counted(len(row), "heartbeat"), last.Sub(first).Round(time.Second)),
		Details: analysis.Details{
			"kind": "unanswered", "pattern": "one-node", "nodes": []string{node}, "gapSeconds": last.Sub(first).Seconds(),
			"recovery": "", "markedNotReady": 0,
		},
		Evidence: analysis.CiteFirst(row),
		Marks:    []analysis.Mark{{Kind: markFailing, From: first, To: last, N: 1}},
	}
	if last.Sub(first) >= p.Duration(optGrace) {
		f.Severity = analysis.Warning
	}
	return f
}
