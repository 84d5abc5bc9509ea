package endpointflap

import (
	"cmp"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Move is one deletion or creation, and who made it.
type Move struct {
	From      audit.Time `json:"from"` // received
	To        audit.Time `json:"to"`   // complete
	Verb      string     `json:"verb"`
	Slice     string     `json:"slice,omitempty"` // its name, where the log tells
	User      string     `json:"user"`
	UserAgent string     `json:"userAgent,omitempty"`
	SourceIP  string     `json:"sourceIP,omitempty"`
	Line      tally.Line `json:"line"`
	IsSlice   bool       `json:"isSlice,omitempty"`
}

func newMove(e *audit.Event) Move {
	m := Move{
		From: e.Began(), To: e.At, Verb: e.Verb.String(), User: e.Actor().String(),
		UserAgent: e.UserAgent.String(), SourceIP: e.ClientIP().String(),
	}
	m.To = max(m.From, m.To)
	m.Line.Set(e)
	return m
}

// compare orders moves by when they were asked for: the answer to the cause may
// be written after its effect.
func (m *Move) compare(o *Move) int {
	return cmp.Or(
		cmp.Compare(m.From, o.From),
		cmp.Compare(m.To, o.To),
		m.Line.ComparePlace(&o.Line),
	)
}

// overlaps reports whether two requests were under way at once, so that it is
// not known which took effect first.
func (m *Move) overlaps(o *Move) bool { return m.From <= o.To && o.From <= m.To }

// Moves are what is known of the moves of one kind within a step: all of them
// if there are at most two.
type Moves struct {
	N     int64 `json:"n"`
	Sum   int64 `json:"sum"` // of the times at which they were complete, modulo 2^64
	First Move  `json:"first"`
	Last  *Move `json:"last,omitempty"` // nil if there is one
}

// plus returns what is known of both, either of which may be nil. It uses up
// both.
func (m *Moves) plus(o *Moves) *Moves {
	if m == nil {
		return o
	}
	if o == nil {
		return m
	}
	first, last := m.First, *m.last()
	if o.First.compare(&first) < 0 {
		first = o.First
	}
	if o.last().compare(&last) > 0 {
		last = *o.last()
	}
	return &Moves{N: m.N + o.N, Sum: m.Sum + o.Sum, First: first, Last: &last}
}

func (m *Moves) last() *Move {
	if m.Last != nil {
		return m.Last
	}
	return &m.First
}

func (m *Moves) count() int64 {
	if m == nil {
		return 0
	}
	return m.N
}

// known returns the moves that are known one by one.
func (m *Moves) known() []*Move {
	switch {
	case m == nil:
		return nil
	case m.Last == nil:
		return []*Move{&m.First}
	}
	return []*Move{&m.First, m.Last}
}

// A Cell is what happened to one object within a step.
type Cell struct {
	Deleted *Moves `json:"deleted,omitempty"`
	Created *Moves `json:"created,omitempty"`
}

// Plus returns what is known of both.
func (c Cell) Plus(o Cell) Cell {
	return Cell{c.Deleted.plus(o.Deleted), c.Created.plus(o.Created)}
}

// whole reports whether all moves of the cell are known one by one.
func (c *Cell) whole() bool { return c.Deleted.count() <= 2 && c.Created.count() <= 2 }

// A History is the moves of one object over time, by their receipt. Steps begin
// at a microsecond, so each move is known until there are too many; then steps
// double, and counts and sums stay right. A cell is some 230 bytes.
type History struct {
	Cells tally.Cells[Cell] `json:"cells"`
}

func newHistory(cells int) History {
	return History{tally.Cells[Cell]{StepMicros: 1, Cap: cells}}
}

func (h *History) deleted(m Move) {
	h.Cells.Add(m.From, Cell{Deleted: &Moves{N: 1, Sum: int64(m.To), First: m}})
}

func (h *History) created(m Move) {
	h.Cells.Add(m.From, Cell{Created: &Moves{N: 1, Sum: int64(m.To), First: m}})
}

// deletions and creations return those that are known one by one, in order.
func (h *History) deletions() []*Move {
	return h.pick(func(c *Cell) *Moves { return c.Deleted })
}

func (h *History) creations() []*Move {
	return h.pick(func(c *Cell) *Moves { return c.Created })
}

func (h *History) pick(kind func(*Cell) *Moves) []*Move {
	var moves []*Move
	for _, c := range h.Cells.All() {
		moves = append(moves, kind(c).known()...)
	}
	return moves
}
