package tally

import (
	"encoding/json"
	"iter"

	"github.com/kaudit/kaudit/audit"
)

// Edges keep the first and the last event of each step of time in which there
// was any, by when the requests began: what stands on either side of a silence.
//
// In a log in order of time every event is the last one of its step so far. So
// the last one is held as a [Late] as long as events are of the same step, and
// laid by as a [Spot] when one is of another.
type Edges struct {
	cells   Cells[Edge]
	spotter Spotter

	// The step that was added to last, while held is its last event, of log.
	step  Interval
	first audit.Time // of its events, at the earliest
	held  Late
	log   string
}

// An Edge has the first and the last event of a step.
type Edge struct {
	First Spot `json:"first"`
	Last  Spot `json:"last"`
}

// NewEdges returns edges of at most so many steps, of the given length in
// microseconds to begin with.
func NewEdges(stepMicros int64, most int) Edges {
	return Edges{cells: Cells[Edge]{StepMicros: stepMicros, Cap: most}}
}

// Plus returns what is known of both.
func (e Edge) Plus(o Edge) Edge {
	if e.First.Empty() || !o.First.Empty() && o.First.Compare(&e.First) < 0 {
		e.First = o.First
	}
	if e.Last.Empty() || !o.Last.Empty() && o.Last.Compare(&e.Last) > 0 {
		e.Last = o.Last
	}
	return e
}

// Add takes in e.
func (x *Edges) Add(e *audit.Event) {
	t := e.Began()
	switch {
	case t < x.step.From || t >= x.step.To:
		x.settle()
		x.held.Set(e)
		x.log = e.Log
		x.begin(e, t, &x.held)
		return
	case t <= x.first:
		var late Late
		late.Set(e)
		x.begin(e, t, &late)
	}
	if !x.held.follows(e) {
		x.held.Set(e)
		x.log = e.Log
	}
}

// begin makes e, which late is of, the first event of its step if there is none
// before it.
func (x *Edges) begin(e *audit.Event, t audit.Time, late *Late) {
	cell := x.cells.At(t)
	x.step = x.cells.stepOf(t)
	if cell.First.Empty() || cell.First.follows(e) {
		cell.First = x.spotter.Spot(late, e.Log)
	}
	x.first = cell.First.Began()
}

// settle lays the held event by.
func (x *Edges) settle() {
	if x.step == (Interval{}) {
		return
	}
	cell := x.cells.At(x.held.Began())
	*cell = cell.Plus(Edge{Last: x.spotter.Spot(&x.held, x.log)})
	x.step = Interval{}
}

// Merge takes in what o holds.
func (x *Edges) Merge(o *Edges) {
	x.settle()
	o.settle()
	x.cells.Merge(&o.cells)
}

// All yields the edges in order of time, each with its step.
func (x *Edges) All() iter.Seq2[Interval, *Edge] {
	x.settle()
	return x.cells.All()
}

// Ends returns the first event of all and the last one. ok is false if there
// is none.
func (x *Edges) Ends() (first, last *Spot, ok bool) {
	x.settle()
	n := x.cells.Len()
	if n == 0 {
		return nil, nil, false
	}
	return &x.cells.List[0].Value.First, &x.cells.List[n-1].Value.Last, true
}

// MarshalJSON writes what UnmarshalJSON reads.
func (x *Edges) MarshalJSON() ([]byte, error) {
	x.settle()
	return json.Marshal(&x.cells)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Edges) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &x.cells) }
