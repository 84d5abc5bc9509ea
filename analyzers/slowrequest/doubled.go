package slowrequest

import (
	"math/bits"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Doubled counts slow requests over time, in classes of latency that double:
// half a second or more, one, two, four seconds, and so on. So it is known
// exactly how many took a second or more, and roughly when.
type Doubled struct {
	Steps tally.Cells[counts]   `json:"steps"`
	Spans [doublings]tally.Span `json:"spans"`
}

const (
	doublings    = 8       // the last class is 64 s or more
	doubledStep  = 1 << 23 // microseconds: 8.4 s
	doubledSteps = 64
)

type counts [doublings]int64

// Plus returns the sums.
func (c counts) Plus(o counts) counts {
	for i := range c {
		c[i] += o[i]
	}
	return c
}

// from returns the sum of the classes from the nth on.
func (c *counts) from(n int) (sum int64) {
	for _, one := range c[n:] {
		sum += one
	}
	return sum
}

func newDoubled() Doubled {
	return Doubled{Steps: tally.Cells[counts]{StepMicros: doubledStep, Cap: doubledSteps}}
}

func (d *Doubled) add(at audit.Time, took time.Duration) {
	n := min(bits.Len64(uint64(took/annotatedFrom))-1, doublings-1)
	d.Steps.At(at)[n]++
	d.Spans[n].Add(at)
}

func (d *Doubled) merge(o *Doubled) {
	d.Steps.Merge(&o.Steps)
	for i := range d.Spans {
		d.Spans[i].Merge(o.Spans[i])
	}
}

// doubling returns the first class all of whose requests took limit or longer,
// and whether that class and those above it hold all such requests.
func doubling(limit time.Duration) (n int, exact bool) {
	for n < doublings-1 && annotatedFrom<<n < limit {
		n++
	}
	return n, annotatedFrom<<n == limit
}

// atLeast returns how many requests took limit or longer. ok is false if limit
// is not the lower bound of a class, so that the number is too low.
func (d *Doubled) atLeast(limit time.Duration) (total int64, ok bool) {
	n, exact := doubling(limit)
	for _, step := range d.Steps.All() {
		total += step.from(n)
	}
	return total, exact
}
