package heartbeatgap

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// detailFailing is set if the beats arrived, and failed.
const detailFailing = "failing"

// Failures are the beats of a step that came to nothing.
type Failures struct {
	N     int64       `json:"n"`
	First *tally.Late `json:"first"`
	Last  *tally.Late `json:"last"`
}

// Plus returns the failures of both. It uses up both.
func (f Failures) Plus(o Failures) Failures {
	switch {
	case f.N == 0:
		return o
	case o.N == 0:
		return f
	}
	f.N += o.N
	if compare(o.First, f.First) < 0 {
		f.First = o.First
	}
	if compare(o.Last, f.Last) > 0 {
		f.Last = o.Last
	}
	return f
}

// compare orders beats by when the API server heard them.
func compare(a, b *tally.Late) int { return cmp.Or(cmp.Compare(a.Began(), b.Began()), a.Compare(b)) }

// observeBeat takes in a beat that was answered. One that is refused or meets
// a conflict found a server that works; the next try follows at once.
func (s *State) observeBeat(e *audit.Event) {
	switch {
	case e.Wrote():
		s.Good.Add(e.Began())
		s.Beats++
	case e.Code >= 500 || e.Code == 429:
		late := new(tally.Late)
		late.Set(e)
		s.Failed.Add(e.Began(), Failures{1, late, late})
	}
}

// reportFailing tells of times in which beats arrived and none took effect:
// for the node-controller that is a silence too. It says whether there are
// any.
func (s *State) reportFailing(p *analysis.Pass, silences []silence) bool {
	if s.Failed.Len() == 0 || s.Beats < 2 {
		return false
	}
	span, _ := s.Good.Span()
	limit := p.Duration(optGrace)
	quiet := s.Good.Gaps(limit)
	covered := span.Len()
	for _, gap := range quiet {
		covered -= gap.Len()
	}
	limit = max(limit, time.Duration(p.Int(optBeats))*covered/time.Duration(s.Beats))
	if end := p.Facts.Span.Last; end > span.To {
		quiet = append(quiet, tally.Interval{From: span.To, To: end})
	}
	found := false
	for _, gap := range quiet {
		if gap.Len() >= limit && !silent(silences, gap) && s.chosen(p, gap.From, gap.To) {
			found = s.reportFailures(p, gap, newHeard(span, slices.Clone(quiet))) || found
		}
	}
	return found
}

func silent(silences []silence, gap tally.Interval) bool {
	for i := range silences {
		if silences[i].from <= gap.To && silences[i].to >= gap.From {
			return true
		}
	}
	return false
}

// reportFailures tells of the failures in a gap, if there are two or more.
func (s *State) reportFailures(p *analysis.Pass, gap tally.Interval, good heard) bool {
	var all Failures
	for _, f := range s.Failed.All() {
		if f.Last.Began() >= gap.From && f.First.Began() <= gap.To {
			all = all.Plus(*f)
		}
	}
	if all.N < 2 {
		return false
	}
	refs := []audit.Ref{all.First.Ref(), all.Last.Ref()}
	f := analysis.Finding{
		Confidence: analysis.Confirmed, Count: 1, Subject: analysis.Subject{Node: p.Key.Name},
		First: gap.From, Last: max(gap.To, all.Last.Time),
		Details: analysis.Details{
			"gapSeconds": gap.Len().Seconds(), "pattern": "one-node", "recovery": "", detailFailing: true,
			"markedNotReady": s.Marked.Overlapping(gap.From, gap.To) > 0, detailIPs: s.IPs.Members(), detailPlan: false, detailHeard: good,
		},
		Marks:    []analysis.Mark{{Kind: markFailing, From: gap.From, To: gap.To, N: 1, Label: p.Key.Name}},
		Evidence: analysis.Cite(refs...),
	}
	p.Report(f)
	return true
}
