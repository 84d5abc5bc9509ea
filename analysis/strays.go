package analysis

import (
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Strays finds events that a wrong clock put far from all others of their log. It is for
// commands that collect no Facts; Facts do the same. It is for one goroutine at a time,
// and obeys the law of states.
type Strays struct {
	logs map[string]*logFacts // by name, with nothing but their times
	last *logFacts            // of the last event
	name string               // of last
}

// NewStrays returns a Strays that has seen nothing.
func NewStrays() *Strays { return &Strays{logs: map[string]*logFacts{}} }

// Observe takes in the time of an event.
func (s *Strays) Observe(e *audit.Event) {
	if s.last == nil || e.Log != s.name {
		s.name, s.last = e.Log, s.log(e.Log)
	}
	s.last.Span.Add(e.At)
	s.last.Cover.Add(e.At)
}

func (s *Strays) log(name string) *logFacts {
	if s.logs[name] == nil {
		s.logs[name] = &logFacts{Cover: tally.Presence{Cover: tally.Cover{Cap: coverWords}}}
	}
	return s.logs[name]
}

// Merge takes in what o has seen.
func (s *Strays) Merge(o *Strays) {
	for name, theirs := range o.logs {
		mine := s.log(name)
		mine.Span.Merge(theirs.Span)
		mine.Cover.Merge(&theirs.Cover)
	}
}

// Span returns the time that the logs cover without their strays, and the notes that
// Facts.Notes would have about the strays.
func (s *Strays) Span() (span tally.Span, notes []Note) {
	f := &Facts{}
	for _, name := range slices.Sorted(maps.Keys(s.logs)) {
		kept, strays := s.logs[name].strays()
		for _, stray := range strays {
			stray.log = name
			f.strays = append(f.strays, stray)
		}
		span.Merge(kept)
	}
	return span, f.strayNotes()
}
