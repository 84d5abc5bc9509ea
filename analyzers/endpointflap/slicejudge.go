package endpointflap

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// mirrors makes and deletes slices as the Endpoints beside them come and go.
const mirrors = "endpointslicemirroring-controller"

// reportSlices reports slices that come and go, or are missing. Where the log tells their
// names it is by these, unless there are more than are kept.
func (j *judge) reportSlices() {
	if !j.reportNamed() {
		j.reportRenamed()
	}
}

// reportNamed reports slices by their names. It returns whether there were cycles of these: a
// last deletion that seems not to have been made good may have been, under another name.
func (j *judge) reportNamed() bool {
	s := j.state
	for _, c := range s.Slices.Cells.All() {
		if !c.whole() {
			return false
		}
	}
	if !s.Names.Exact() {
		return false
	}
	fl := s.Slices.walk(j.excusedSlice, &s.Service)
	v := j.missing(&fl, &s.Slices)
	if v.missing && s.seenAfter(fl.open) {
		v = verdict{}
	}
	if fl.count() == 0 && !v.missing {
		return false
	}
	f := j.finding(&fl, v)
	f.Subject.Resource, f.Subject.APIGroup = resSlices.String(), groupSlices.String()
	f.Title = j.title("the endpoint slices of ", &fl, v)
	if f.Confidence == analysis.Confirmed {
		f.Confidence = analysis.Likely
	}
	if v.missing && fl.count() == 0 {
		f.Details[detailAwaits] = s.makers(fl.open)
	}
	j.leftOut(&f, &s.Slices)
	j.pass.Report(f)
	return fl.count() > 0
}

// makers returns who may make a deletion good: who writes the slices, or deletes them itself.
// If nobody is seen to write them, it is a controller that keeps slices.
func (s *State) makers(del *Move) []string {
	writer := usual(&s.SliceWriters)
	if writer == "" {
		return append([]string{del.User}, keepers...)
	}
	return []string{writer, del.User}
}

// excusedSlice reports whether the deletion of a slice has a good reason, or
// left another one.
func (j *judge) excusedSlice(m *Move) bool {
	if m.byCollector() || m.byMirror() || j.intents.explain(m) || swept(j.pass, m) || !j.state.lastSlice(m) {
		return true
	}
	return m.User == usual(&j.state.SliceWriters) && !m.byKeeper()
}

// lastSlice reports whether no other slice is known to have been there when m
// deleted one. A slice that is first heard of later was there already unless
// its creation is known.
func (s *State) lastSlice(m *Move) bool {
	deletions := s.Slices.deletions()
	for _, row := range s.Names.Sorted() {
		if row.Name == m.Slice || deletedBy(deletions, row.Name, m) || s.bornAfter(row.Value, m) {
			continue
		}
		return false
	}
	return true
}

func deletedBy(deletions []*Move, name string, m *Move) bool {
	for _, del := range deletions {
		if del.Slice == name && del.From <= m.From {
			return true
		}
	}
	return false
}

func (s *State) bornAfter(one Slice, m *Move) bool {
	if one.Seen.Empty() || one.Seen.First <= m.From {
		return false
	}
	if one.Created {
		return true
	}
	for _, c := range s.Slices.creations() {
		if c.To >= m.From && c.From <= one.Seen.First {
			return true
		}
	}
	return false
}

// seenAfter reports whether some slice was written after the deletion.
func (s *State) seenAfter(del *Move) bool {
	for _, row := range s.Names.Sorted() {
		if row.Value.Seen.Last > del.To {
			return true
		}
	}
	return false
}

// reportUnnamed tells group when slices were created that may be anybody's.
func (s *State) reportUnnamed(p *analysis.Pass) {
	for _, row := range s.Unnamed.Sorted() {
		f := analysis.Finding{
			Subject: analysis.Subject{Namespace: p.Key.Namespace.String(), User: row.Name},
			Details: analysis.Details{detailUnnamed: true},
		}
		for _, pair := range row.Value.Pairs {
			f.Marks = append(f.Marks, mark(pair))
		}
		for _, c := range row.Value.Cells.All() {
			f.Marks = append(f.Marks, mark(tally.Interval{From: c.FirstFrom, To: c.LastTo}))
		}
		p.Report(f)
	}
}

func mark(i tally.Interval) analysis.Mark { return analysis.Mark{From: i.From, To: i.To} }
