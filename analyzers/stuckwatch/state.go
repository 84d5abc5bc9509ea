package stuckwatch

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How many steps of time a state keeps. A step is a microsecond at first, so
// each watch has a cell of its own; when there are too many cells, the step
// doubles until they fit. A cell takes 144 bytes, and a state at most 18 KiB.
const (
	maxCells = 64
	maxLists = 32
)

// A State holds one client's watches and lists of one scope, by time.
type State struct {
	Watches tally.Cells[Cell]       `json:"watches"` // watches from a resourceVersion, by when they were received
	Zero    tally.Cells[Run]        `json:"zero"`    // watches that ask for the initial state, likewise
	Lists   tally.Cells[tally.Span] `json:"lists"`   // lists that were answered, by when that was
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

// Narrow lowers the number of steps to one in share, so that the state takes
// less memory.
func (s *State) Narrow(share int) {
	s.Watches.Narrow(maxCells / share)
	s.Zero.Narrow(maxCells / share)
	s.Lists.Narrow(maxLists / share)
}

// Merge takes in another state of the same client and scope.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Watches.Merge(&other.Watches)
	s.Zero.Merge(&other.Zero)
	s.Lists.Merge(&other.Lists)
}

// Report judges the watches version by version, then the order of the versions,
// then the watches that ask for the initial state.
func (s *State) Report(p *analysis.Pass) {
	w := newWatcher(p, s)
	for i := range w.tracks {
		w.judge(&w.tracks[i])
	}
	w.judgeOrder()
	w.judgeZero()
}

// listed reports whether the client may have learned a new resourceVersion
// within [from, to], from a list or from a watch that sent the initial state.
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
