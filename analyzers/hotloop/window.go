package hotloop

import (
	"math"
	"time"
)

// A sum is what a window of time holds.
type sum struct {
	n                         int // items
	writes, reads             float64
	conflicts, turns          float64
	spreadWrites, spreadReads float64 // variances of what the sample stands for
}

func (s *sum) add(i *item, sign float64) {
	s.n += int(sign)
	w, spread := sign*i.weight, sign*i.weight*(i.weight-1)
	switch {
	case i.read:
		s.reads += w
		s.spreadReads += spread
		return
	case i.conflict():
		s.conflicts += w
	}
	s.writes += w
	s.spreadWrites += spread
	if i.turn {
		s.turns++
	}
}

// sigmas is how far chance may carry an estimate: by three standard
// deviations once in a thousand.
const sigmas = 3

// atLeast returns how many writes there were at least: an estimate from a
// sample, less what chance may have added.
func (s *sum) atLeast() float64 {
	return s.writes - sigmas*math.Sqrt(max(0, s.spreadWrites))
}

// allAtLeast is atLeast for writes and reads together.
func (s *sum) allAtLeast() float64 {
	return s.writes + s.reads - sigmas*math.Sqrt(max(0, s.spreadWrites+s.spreadReads))
}

// A stretch is a row of items that lie in windows that were found to be hot.
type stretch []item

// hot returns the stretches of items, in order of time, in which every item
// lies in some window that is hot.
func hot(items []item, window time.Duration, is func(*sum) bool) (stretches []stretch) {
	window = max(0, window)
	var s sum
	from, until := 0, 0 // the window's first; the last stretch's end
	begin := -1
	for i := range items {
		s.add(&items[i], 1)
		for items[i].Began.Sub(items[from].Began) > window {
			s.add(&items[from], -1)
			from++
		}
		if !is(&s) {
			continue
		}
		if begin >= 0 && from >= until {
			stretches = append(stretches, items[begin:until])
			begin = -1
		}
		if begin < 0 {
			begin = from
		}
		until = i + 1
	}
	if begin >= 0 {
		stretches = append(stretches, items[begin:until])
	}
	return stretches
}

// joined returns the items of all stretches.
func joined(stretches []stretch) []item {
	var all []item
	for _, s := range stretches {
		all = append(all, s...)
	}
	return all
}

func total(items []item) sum {
	var s sum
	for i := range items {
		s.add(&items[i], 1)
	}
	return s
}
