package stuckwatch

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How many steps of time a state tells apart. Steps begin at a microsecond, so
// each watch has a cell of its own until there are more than these; then steps
// double. A cell is 144 bytes: a state has at most 18 KiB, after 64 watches of
// each kind and 32 lists.
const (
	maxCells = 64
	maxLists = 32
)

// A State is what is known of one client's watches of one scope.
type State struct {
	Watches tally.Cells[Cell]       `json:"watches"` // from a version, by receipt
	Zero    tally.Cells[Run]        `json:"zero"`    // that ask for the state, by receipt
	Lists   tally.Cells[tally.Span] `json:"lists"`   // that were answered, by their end
}

func newState() *State {
	return &State{
		Watches: tally.Cells[Cell]{StepMicros: 1, Cap: maxCells},
		Zero:    tally.Cells[Run]{StepMicros: 1, Cap: maxCells},
		Lists:   tally.Cells[tally.Span]{StepMicros: 1, Cap: maxLists},
	}
}

// Observe takes in a watch or a list.
func (s *State) Observe(e *audit.Event) {
	if e.Verb == audit.VerbList {
		s.Lists.At(e.At).Add(e.At)
		return
	}
	rv, ok := e.ResourceVersion()
	switch {
	case e.InitialEvents():
		s.Zero.At(e.Received).observe(e)
	case ok:
		s.Watches.At(e.Received).observe(rv, e)
	}
}

// Narrow leaves a part of the steps.
func (s *State) Narrow(share int) {
	s.Watches.Narrow(maxCells / share)
	s.Zero.Narrow(maxCells / share)
	s.Lists.Narrow(maxLists / share)
}

// Merge takes in what another state of the same client and scope knows.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Watches.Merge(&other.Watches)
	s.Zero.Merge(&other.Zero)
	s.Lists.Merge(&other.Lists)
}

// Report judges the versions one by one, then their order.
func (s *State) Report(p *analysis.Pass) {
	w := newWatcher(p, s)
	for _, t := range w.tracks {
		w.judge(t)
	}
	w.judgeOrder()
	w.judgeZero()
}

// listed reports whether the client may have learned a new version inside
// [from, to], from a list or from a watch that began with the whole state.
func (s *State) listed(from, to audit.Time) bool {
	for _, span := range s.Lists.All() {
		if span.First <= to && from <= span.Last {
			return true
		}
	}
	for _, run := range s.Zero.All() {
		if run.First.From <= to && from <= run.last().From {
			return true
		}
	}
	return false
}
