package tally

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// An Occupancy is how many of something, such as requests, were open at once. It is known
// exactly only at the edges of steps, so what begins and ends within one step is not seen,
// and Max and Above never claim more than there was.
//
// A log that begins in the middle has ends without beginnings. Since the end of a request
// also tells when it began, add what has ended with Add, and only what has not with Up.
type Occupancy struct {
	Cells Cells[Flow] `json:"cells"`
}

// A Flow is how many began and how many ended within a step.
type Flow struct {
	Up   int64 `json:"up,omitempty"`
	Down int64 `json:"down,omitempty"`
}

// Plus returns the sum.
func (f Flow) Plus(o Flow) Flow { return Flow{f.Up + o.Up, f.Down + o.Down} }

// Add takes in one that was open from from to to.
func (o *Occupancy) Add(from, to audit.Time) {
	o.Up(from)
	o.Down(to)
}

// Up takes in the beginning of one.
func (o *Occupancy) Up(t audit.Time) { o.Cells.At(t).Up++ }

// Down takes in the end of one.
func (o *Occupancy) Down(t audit.Time) { o.Cells.At(t).Down++ }

// Merge takes in what p has.
func (o *Occupancy) Merge(p *Occupancy) { o.Cells.Merge(&p.Cells) }

// Max returns the most that were open at once, and when that was first so.
func (o *Occupancy) Max() (n int, at audit.Time) {
	var level int64
	for step, flow := range o.Cells.All() {
		level += flow.Up - flow.Down
		if int(level) > n {
			n, at = int(level), step.To
		}
	}
	return n, at
}

// Above returns the stretches of at least minimum in which at least n were
// open. One that had no end when the log ended lasts until end.
func (o *Occupancy) Above(n int, minimum time.Duration, end audit.Time) []Interval {
	var above []Interval
	var level int64
	var from audit.Time
	add := func(to audit.Time) {
		if i := (Interval{from, to}); from != 0 && to > from && i.Len() >= minimum {
			above = append(above, i)
		}
		from = 0
	}
	for step, flow := range o.Cells.All() {
		level += flow.Up - flow.Down
		if level < int64(n) {
			add(step.From)
		} else if from == 0 {
			from = step.To
		}
	}
	add(end)
	return above
}
