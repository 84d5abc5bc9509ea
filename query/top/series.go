package top

import "github.com/kaudit/kaudit/audit"

// maxSteps is how many steps of time a series has at most.
const maxSteps = 64

// A series counts over time, in steps of one second that double until there are at
// most maxSteps. How long they are depends only on the first and the last time, so
// series merge in any order.
type series struct {
	shift  uint  // a step has 1<<shift seconds
	first  int64 // the number of the first step since the epoch
	counts []uint32
}

func (s *series) add(t audit.Time) {
	second := int64(t) / 1e6
	s.cover(second>>s.shift, second>>s.shift)
	s.counts[second>>s.shift-s.first]++
}

// cover makes room for steps, which are made longer if need be.
func (s *series) cover(from, to int64) {
	if len(s.counts) == 0 {
		s.first, s.counts = from, append(s.counts, 0)
	}
	for {
		low, high := min(from, s.first), max(to, s.first+int64(len(s.counts))-1)
		if high-low < maxSteps {
			s.extend(low, high)
			return
		}
		s.coarsen(s.shift + 1)
		from, to = from>>1, to>>1
	}
}

func (s *series) extend(low, high int64) {
	if before := s.first - low; before > 0 {
		s.counts = append(make([]uint32, before), s.counts...)
		s.first = low
	}
	for s.first+int64(len(s.counts))-1 < high {
		s.counts = append(s.counts, 0)
	}
}

// coarsen makes steps of 1<<shift seconds.
func (s *series) coarsen(shift uint) {
	by := shift - s.shift
	if by == 0 {
		return
	}
	s.shift = shift
	if len(s.counts) == 0 {
		return
	}
	first := s.first >> by
	sums := make([]uint32, (s.first+int64(len(s.counts))-1)>>by-first+1)
	for i, n := range s.counts {
		sums[(s.first+int64(i))>>by-first] += n
	}
	s.first, s.counts = first, sums
}

func (s *series) merge(o *series) {
	if len(o.counts) == 0 {
		return
	}
	if len(s.counts) == 0 {
		s.shift = o.shift
	}
	theirs := *o
	shift := max(s.shift, theirs.shift)
	s.coarsen(shift)
	theirs.coarsen(shift)
	s.cover(theirs.first, theirs.first+int64(len(theirs.counts))-1)
	theirs.coarsen(s.shift)
	for i, n := range theirs.counts {
		s.counts[theirs.first+int64(i)-s.first] += n
	}
}

// on returns the counts by the steps of grid, a series that covers s.
func (s series) on(grid *series) []uint32 {
	counts := make([]uint32, len(grid.counts))
	if len(s.counts) == 0 {
		return counts
	}
	s.coarsen(grid.shift)
	copy(counts[s.first-grid.first:], s.counts)
	return counts
}
