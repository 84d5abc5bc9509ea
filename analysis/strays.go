package analysis

import (
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Strays finds what wrong clocks made in logs of which no facts are collected.
// It is for one goroutine, and lives by the law of states.
type Strays struct {
	logs map[string]*logFacts // with their times alone
	name string               // of the log of the last event
	last *logFacts
}

// NewStrays returns one that has seen nothing.
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

// Span returns the time that the logs cover without their strays, and notes
// that tell of these, as Facts.Notes does.
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
