package endpointflap

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// burst is how soon after another a deletion belongs to it: who clears a Service of its
// slices deletes one after the other.
const burst = time.Second

// reportRenamed reports slices that somebody else than their controller deletes again and
// again, each of which comes back under a name that the log does not tell. It is group that
// knows whether slices were created in between.
func (j *judge) reportRenamed() {
	var fl flap
	var moves []*Move
	for _, c := range j.state.Slices.Cells.All() {
		d := c.Deleted
		if d == nil || d.First.byKeeper() || j.excusedSlices(&d.First) || j.othersLeft(&d.First) {
			continue
		}
		fl.cycles = append(fl.cycles, cycle{deleted: &d.First, n: d.N})
		moves = append(moves, d.known()...)
	}
	if len(moves) < max(2, j.pass.Int(optCycles)) {
		return
	}
	f := j.unkept(&fl, moves)
	f.Confidence = analysis.Likely
	f.Title = j.unkeptTitle("the endpoint slices of ", moves, f.Count)
	f.Subject.Resource, f.Subject.APIGroup = resSlices.String(), groupSlices.String()
	f.Details["sliceDeletions"] = f.Count
	f.Details[detailRounds] = rounds(moves)
	j.leftOut(&f, &j.state.Slices)
	j.pass.Report(f)
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
	n := 0
	for i, end := range ends {
		until := end.Add(p.Duration(optSettle))
		if i+1 < len(ends) {
			until = min(until, ends[i+1])
		}
		if slices.ContainsFunc(unnamed, func(u analysis.Finding) bool {
			return u.Subject.Namespace == f.Subject.Namespace && isKeeper(u.Subject.User) && slices.ContainsFunc(u.Marks, func(m analysis.Mark) bool {
				return m.To >= end && m.From < until
			})
		}) {
			n++
		}
	}
	return n >= max(2, p.Int(optCycles))
}
