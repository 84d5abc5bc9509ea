package tally

import (
	"iter"
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// An Adder is a value that can be joined with another of its kind. Plus must be
// associative and commutative, with the zero value as neutral element. It may reuse the
// memory of both operands.
type Adder[C any] interface{ Plus(C) C }

// A Count is the plainest cell.
type Count int64

// Plus returns the sum.
func (c Count) Plus(o Count) Count { return c + o }

const (
	defaultStep  = int64(time.Second / time.Microsecond)
	defaultCells = 512
	minCells     = 4 // how many of the longest steps cover all of time
)

// Cells are values over time, one for each step in which something happened.
// A step is a second long to begin with; when there are more than Cap cells it
// doubles and neighbours are joined.
type Cells[C Adder[C]] struct {
	StepMicros int64     `json:"stepMicros,omitempty"` // 0 is a second
	Cap        int       `json:"cap,omitempty"`        // 0 is 512
	List       []Cell[C] `json:"list,omitempty"`       // in order of time

	// The step of the cell that At returned last, and its index in List: most events
	// fall into the step of the one before. near is empty after List has changed.
	near Interval `cache:"List"`
	last int      `cache:"List"`
}

// A Cell is the value of one step: the one that begins at Index steps after
// the Unix epoch.
type Cell[C any] struct {
	Index int64 `json:"i"`
	Value C     `json:"v"`
}

// At returns the cell of the step that holds t, to be changed in place until
// the next call of any method.
func (c *Cells[C]) At(t audit.Time) *C {
	if c.near.From <= t && t < c.near.To {
		return &c.List[c.last].Value
	}
	for {
		index := floorDiv(int64(t), c.step())
		i, found := c.find(index)
		if !found && len(c.List) >= c.size() {
			c.coarsen(2 * c.step())
			continue
		}
		if !found {
			c.grow()
			c.List = slices.Insert(c.List, i, Cell[C]{Index: index})
		}
		c.last, c.near = i, c.stepAt(index)
		return &c.List[i].Value
	}
}

// grow makes room for another cell, but never for more than size: append would leave a
// full list with up to twice the memory that it needs.
func (c *Cells[C]) grow() {
	n := len(c.List)
	if n < cap(c.List) {
		return
	}
	list := make([]Cell[C], n, min(max(2*n, fewest), c.size()))
	copy(list, c.List)
	c.List = list
}

// fewest is for how many elements a list has room from the first. Most lists stay short,
// and to grow from one element to two to four is most of what a state would allocate.
const fewest = 4

// insert puts v at index i of a list of small elements.
func insert[T any](list []T, i int, v T) []T {
	if list == nil {
		list = make([]T, 0, fewest)
	}
	return slices.Insert(list, i, v)
}

// Add joins v to the cell of the step that holds t.
func (c *Cells[C]) Add(t audit.Time, v C) {
	cell := c.At(t)
	*cell = (*cell).Plus(v)
}

// Narrow lowers Cap, and makes steps longer until there are no more cells.
func (c *Cells[C]) Narrow(most int) {
	c.Cap = min(c.size(), max(most, minCells))
	if len(c.List) <= c.size() {
		return
	}
	for len(c.List) > c.size() {
		c.coarsen(2 * c.step())
	}
	c.List = slices.Clone(c.List) // in no more room than it needs
	c.near = Interval{}
}

// Merge takes in what o holds.
func (c *Cells[C]) Merge(o *Cells[C]) {
	c.Cap = max(c.Cap, o.Cap)
	c.near = Interval{}
	switch {
	case len(o.List) == 0:
		return
	case len(c.List) == 0:
		c.StepMicros, c.List = o.StepMicros, o.List
		return
	}
	c.coarsen(o.step())
	o.coarsen(c.step())
	for together(c.List, o.List) > c.size() {
		c.coarsen(2 * c.step())
		o.coarsen(c.step())
	}
	c.List = interleave(c.List, o.List)
}

// together returns how many different steps two lists have together.
func together[C any](a, b []Cell[C]) int {
	n := len(a) + len(b)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Index < b[j].Index:
			i++
		case a[i].Index > b[j].Index:
			j++
		default:
			i, j, n = i+1, j+1, n-1
		}
	}
	return n
}

// interleave merges two lists into one, with no more memory than it needs.
func interleave[C Adder[C]](a, b []Cell[C]) []Cell[C] {
	list := make([]Cell[C], 0, together(a, b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Index < b[0].Index:
			list, a = append(list, a[0]), a[1:]
		case a[0].Index > b[0].Index:
			list, b = append(list, b[0]), b[1:]
		default:
			list = append(list, Cell[C]{a[0].Index, a[0].Value.Plus(b[0].Value)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(list, a...), b...)
}

// All yields the cells in order of time, each with its step.
func (c *Cells[C]) All() iter.Seq2[Interval, *C] {
	return func(yield func(Interval, *C) bool) {
		for i := range c.List {
			if !yield(c.stepAt(c.List[i].Index), &c.List[i].Value) {
				return
			}
		}
	}
}

func (c *Cells[C]) stepAt(index int64) Interval {
	from := audit.Time(index * c.step())
	return Interval{from, from + audit.Time(c.step())}
}

// Len returns the number of cells.
func (c *Cells[C]) Len() int { return len(c.List) }

// Step returns the length of a step.
func (c *Cells[C]) Step() time.Duration { return time.Duration(c.step()) * time.Microsecond }

func (c *Cells[C]) step() int64 {
	if c.StepMicros > 0 {
		return c.StepMicros
	}
	return defaultStep
}

func (c *Cells[C]) size() int {
	if c.Cap > 0 {
		return max(c.Cap, minCells)
	}
	return defaultCells
}

// find looks at the last cells first: logs are nearly in order of time.
func (c *Cells[C]) find(index int64) (int, bool) {
	low, high := 0, len(c.List)
	for range 4 {
		if high == 0 || c.List[high-1].Index < index {
			return high, false
		}
		if high--; c.List[high].Index == index {
			return high, true
		}
	}
	for low < high {
		if middle := int(uint(low+high) >> 1); c.List[middle].Index < index {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(c.List) && c.List[low].Index == index
}

// coarsen makes steps as long as step if they are shorter.
func (c *Cells[C]) coarsen(step int64) {
	old := c.step()
	if step <= old {
		return
	}
	for i := range c.List {
		c.List[i].Index = floorDiv(c.List[i].Index*old, step)
	}
	c.StepMicros, c.near = step, Interval{}
	c.List = join(c.List)
}

// join merges neighbours of the same index into one cell.
func join[C Adder[C]](list []Cell[C]) []Cell[C] {
	kept := list[:0]
	for _, cell := range list {
		if n := len(kept); n > 0 && kept[n-1].Index == cell.Index {
			kept[n-1].Value = kept[n-1].Value.Plus(cell.Value)
		} else {
			kept = append(kept, cell)
		}
	}
	clear(list[len(kept):])
	return kept
}

// floorDiv divides and rounds down, so that steps before 1970 are as long as
// those after.
func floorDiv(a, b int64) int64 {
	q := a / b
	if q*b > a {
		q--
	}
	return q
}
