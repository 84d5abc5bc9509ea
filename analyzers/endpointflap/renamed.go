package endpointflap

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// burst is how soon after another a deletion belongs to it: who clears a Service of its
// slices deletes one after the other.
const burst = time.Second

// reportRenamed reports slices that somebody else than their controller deletes again and
// again, each of which comes back under a name that the log does not tell, or as one of more
// than are kept. It is group that knows whether slices were created in between. A Service
// may have several, so what counts is how often they were cleared.
func (j *judge) reportRenamed() {
	var moves []*Move
	deletions, whole := int64(0), true
	for _, c := range j.state.Slices.Cells.All() {
		d := c.Deleted
		if d == nil || d.First.byKeeper() || j.excusedSlices(&d.First) || j.othersLeft(&d.First) {
			continue
		}
		deletions, whole = deletions+d.N, whole && c.whole()
		moves = append(moves, d.known()...)
	}
	if len(moves) < max(2, j.pass.Int(optCycles)) {
		return
	}
	ends := rounds(moves)
	n := len(ends)
	if !whole { // the rounds between those that are known one by one
		n = max(n, 1+len(j.state.Cleared.Gaps(0)))
	}
	first := most(moves)
	f := j.unkept(&flap{cycles: []cycle{{deleted: &first, n: int64(n)}}}, moves)
	f.Confidence = analysis.Likely
	returns, unknown := j.state.returns(), notTold
	if len(returns) > 0 {
		unknown, f.Details["creationsUnseen"] = notKept, false
	}
	f.Title = j.unkeptTitle("the endpoint slices of ", moves, f.Count, unknown)
	f.Subject.Resource, f.Subject.APIGroup = resSlices.String(), groupSlices.String()
	f.Details["sliceDeletions"] = int(deletions)
	f.Details[detailRounds] = ends
	f.Details[detailReturns] = returns
	j.leftOut(&f, &j.state.Slices)
	j.pass.Report(f)
}

// returns are the creations of slices by a controller that keeps them.
func (s *State) returns() (marks []analysis.Mark) {
	for _, c := range s.Slices.Cells.All() {
		if made := c.Created; made != nil && made.First.byKeeper() {
			marks = append(marks, mark(tally.Interval{From: made.First.From, To: made.last().To}))
		}
	}
	return marks
}

// excusedSlices reports whether a deletion has a good reason whichever slice it is of.
func (j *judge) excusedSlices(m *Move) bool {
	return m.byCollector() || m.byMirror() || j.intents.explain(m) || swept(j.pass, m) || m.User == usual(&j.state.SliceWriters)
}

// othersLeft reports whether the Service had other slices when one was deleted: some that
// were heard of before and after.
func (j *judge) othersLeft(m *Move) bool {
	for _, row := range j.state.Names.Sorted() {
		seen := row.Value.Seen
		if row.Name != m.Slice && !seen.Empty() && seen.First <= m.From && seen.Last > m.From {
			return true
		}
	}
	return false
}

// rounds returns when deletions came to an end that are bursts apart.
func rounds(moves []*Move) (ends []audit.Time) {
	for i, m := range moves {
		if i > 0 && m.From.Sub(moves[i-1].To) < burst {
			ends[len(ends)-1] = max(ends[len(ends)-1], m.To)
		} else {
			ends = append(ends, m.To)
		}
	}
	return ends
}

// cameBack reports whether a controller that keeps slices created some soon after as many
// rounds of deletions as make a flap. Who creates slices in the namespace deletes its own.
func cameBack(p *analysis.Pass, f *analysis.Finding, ends []audit.Time, unnamed []analysis.Finding) bool {
	if slices.ContainsFunc(unnamed, func(u analysis.Finding) bool {
		return u.Subject.Namespace == f.Subject.Namespace && u.Subject.User == f.Details.Text("deletedBy")
	}) {
		return false
	}
	returns, _ := f.Details[detailReturns].([]analysis.Mark)
	for _, u := range unnamed {
		if u.Subject.Namespace == f.Subject.Namespace && isKeeper(u.Subject.User) {
			returns = append(returns, u.Marks...)
		}
	}
	n := 0
	for i, end := range ends {
		until := end.Add(p.Duration(optSettle))
		if i+1 < len(ends) {
			until = min(until, ends[i+1])
		}
		if slices.ContainsFunc(returns, func(m analysis.Mark) bool { return m.To >= end && m.From < until }) {
			n++
		}
	}
	return n >= max(2, p.Int(optCycles))
}
