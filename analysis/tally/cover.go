package tally

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

const (
	defaultCoverStep  = 5 * int64(time.Second/time.Microsecond)
	defaultCoverWords = 256
)

// A Cover says in which steps of time there was anything. A step is 5 s long
// to begin with; it doubles when the cover needs more than Cap words of 64
// steps: the default, 4 KiB, keeps a step of 5 s for at least 22 hours.
type Cover struct {
	StepMicros int64  `json:"stepMicros,omitempty"` // 0 is 5 s
	Cap        int    `json:"cap,omitempty"`        // words; 0 is 256
	Words      []Word `json:"words,omitempty"`      // in order of time

	near Interval `cache:"Words"` // the step of the last Add: most events fall into the step of the one before
}

// A Word is 64 steps, the lowest bit first. The first begins at 64*Index steps
// after the Unix epoch.
type Word struct {
	Index int64  `json:"i"`
	Bits  uint64 `json:"b"`
}

// Add takes in t. The zero Time is no time and is not added.
func (c *Cover) Add(t audit.Time) {
	if t == 0 || c.near.From <= t && t < c.near.To {
		return
	}
	n := floorDiv(int64(t), c.step())
	c.near = Interval{audit.Time(n * c.step()), audit.Time((n + 1) * c.step())}
	if last := len(c.Words) - 1; last >= 0 && c.Words[last].Index == n>>6 { // nearly always
		c.Words[last].Bits |= 1 << (n & 63)
		return
	}
	c.Words = setBit(c.Words, n, 1<<(n&63))
	c.shrink()
}

// Merge takes in what o covers.
func (c *Cover) Merge(o *Cover) {
	c.Cap = max(c.Cap, o.Cap)
	switch {
	case len(o.Words) == 0:
		return
	case len(c.Words) == 0:
		c.StepMicros, c.Words = o.StepMicros, o.Words
		c.shrink()
		return
	}
	c.coarsen(o.step())
	o.coarsen(c.step())
	for _, w := range o.Words {
		c.Words = setBit(c.Words, w.Index<<6, w.Bits)
	}
	c.shrink()
}

// Any reports whether anything was added in a step that [from, to] touches.
func (c *Cover) Any(from, to audit.Time) bool {
	first, last := floorDiv(int64(from), c.step()), floorDiv(int64(to), c.step())
	for _, w := range c.Words {
		low, high := max(first, w.Index<<6), min(last, w.Index<<6+63)
		if low > high {
			continue
		}
		if w.Bits>>(low&63)<<(low&63)<<(63-high&63) != 0 {
			return true
		}
	}
	return false
}

// Gaps returns the stretches of at least minimum, between the first step and
// the last, in which there was nothing at all. A silence can be longer than
// the gap by up to a step at either end.
func (c *Cover) Gaps(minimum time.Duration) []Interval {
	var gaps []Interval
	prev, begun := int64(0), false
	for _, w := range c.Words {
		for rest := w.Bits; rest != 0; rest &= rest - 1 {
			n := w.Index<<6 + int64(bits.TrailingZeros64(rest))
			gap := Interval{audit.Time((prev + 1) * c.step()), audit.Time(n * c.step())}
			if begun && n > prev+1 && gap.Len() >= minimum {
				gaps = append(gaps, gap)
			}
			prev, begun = n, true
		}
	}
	return gaps
}

// Span returns the time from the beginning of the first step to the end of the
// last. ok is false if nothing was added.
func (c *Cover) Span() (span Interval, ok bool) {
	if len(c.Words) == 0 {
		return Interval{}, false
	}
	first, last := c.Words[0], c.Words[len(c.Words)-1]
	from := first.Index<<6 + int64(bits.TrailingZeros64(first.Bits))
	to := last.Index<<6 + int64(64-bits.LeadingZeros64(last.Bits))
	return Interval{audit.Time(from * c.step()), audit.Time(to * c.step())}, true
}

// Steps returns how many steps are covered.
func (c *Cover) Steps() int {
	n := 0
	for _, w := range c.Words {
		n += bits.OnesCount64(w.Bits)
	}
	return n
}

// Step returns the length of a step.
func (c *Cover) Step() time.Duration { return time.Duration(c.step()) * time.Microsecond }

func (c *Cover) step() int64 {
	if c.StepMicros > 0 {
		return c.StepMicros
	}
	return defaultCoverStep
}

func (c *Cover) size() int {
	if c.Cap > 0 {
		return max(c.Cap, minCells)
	}
	return defaultCoverWords
}

func (c *Cover) shrink() {
	for len(c.Words) > c.size() {
		c.coarsen(2 * c.step())
	}
}

func (c *Cover) coarsen(step int64) {
	old := c.step()
	if step <= old {
		return
	}
	var words []Word
	for _, w := range c.Words {
		for rest := w.Bits; rest != 0; rest &= rest - 1 {
			n := floorDiv((w.Index<<6+int64(bits.TrailingZeros64(rest)))*old, step)
			words = setBit(words, n, 1<<(n&63))
		}
	}
	c.StepMicros, c.Words = step, words
}

// setBit sets bits in the word that holds step n.
func setBit(words []Word, n int64, set uint64) []Word {
	index := n >> 6
	i, found := len(words), false
	if i > 0 && words[i-1].Index == index {
		i, found = i-1, true
	} else if i > 0 && words[i-1].Index > index {
		i, found = slices.BinarySearchFunc(words, index, func(w Word, index int64) int {
			return cmp.Compare(w.Index, index)
		})
	}
	if !found {
		words = insert(words, i, Word{Index: index})
	}
	words[i].Bits |= set
	return words
}

// stepOf returns the step that holds t: from its beginning up to the next
// one's.
func (c *Cover) stepOf(t audit.Time) Interval {
	from := audit.Time(floorDiv(int64(t), c.step()) * c.step())
	return Interval{from, from + audit.Time(c.step())}
}
