package tally

import (
	"cmp"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// An Interval is a stretch of time, both ends included.
type Interval struct {
	From audit.Time `json:"from"`
	To   audit.Time `json:"to"`
}

// Len returns how long the interval is.
func (i Interval) Len() time.Duration { return i.To.Sub(i.From) }

// Holds reports whether t lies in the interval.
func (i Interval) Holds(t audit.Time) bool { return i.From <= t && t <= i.To }

// Overlaps reports whether the two have an instant in common.
func (i Interval) Overlaps(j Interval) bool { return i.From <= j.To && j.From <= i.To }

// Within reports whether i lies wholly inside j.
func (i Interval) Within(j Interval) bool { return j.From <= i.From && i.To <= j.To }

// Compare orders intervals by their end, then by their start.
func (i Interval) Compare(j Interval) int {
	return cmp.Or(cmp.Compare(i.To, j.To), cmp.Compare(i.From, j.From))
}

// A Span is the earliest and the latest of the times added to it. The zero
// Span is empty; the zero Time is no time and is not added.
type Span struct {
	First audit.Time `json:"first"`
	Last  audit.Time `json:"last"`
}

// Add takes in t.
func (s *Span) Add(t audit.Time) {
	if t == 0 {
		return
	}
	if s.First == 0 || t < s.First {
		s.First = t
	}
	if s.Last == 0 || t > s.Last {
		s.Last = t
	}
}

// Merge takes in what o has.
func (s *Span) Merge(o Span) {
	s.Add(o.First)
	s.Add(o.Last)
}

// Empty reports whether nothing was added.
func (s Span) Empty() bool { return s.First == 0 }

// Len returns the time between first and last.
func (s Span) Len() time.Duration { return s.Last.Sub(s.First) }

// Interval returns the span as an interval.
func (s Span) Interval() Interval { return Interval{s.First, s.Last} }

// Plus makes a Span a cell of [Cells].
func (s Span) Plus(o Span) Span {
	s.Merge(o)
	return s
}
