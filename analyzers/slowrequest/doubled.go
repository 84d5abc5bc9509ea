package slowrequest

import (
	"math/bits"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Doubled counts slow requests over time, by how often annotatedFrom fits into
// what they took when it is doubled: from half a second, one, two, four seconds
// on. So it is known exactly how many took a second or more, and when.
type Doubled struct {
	Steps tally.Cells[counts]   `json:"steps"`
	Spans [doublings]tally.Span `json:"spans"`
}

const (
	doublings    = 8       // the last is a minute and longer
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

// from returns the sum of those from the nth doubling on.
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

// doubling returns the first doubling all of whose requests took limit or
// longer, and whether they are all that did.
func doubling(limit time.Duration) (n int, exact bool) {
	for n < doublings-1 && annotatedFrom<<n < limit {
		n++
	}
	return n, annotatedFrom<<n == limit
}

// atLeast returns how many took so long. ok is false if that is not known
// exactly.
func (d *Doubled) atLeast(limit time.Duration) (total int64, ok bool) {
	n, exact := doubling(limit)
	for _, step := range d.Steps.All() {
		total += step.from(n)
	}
	return total, exact
}
