package tally

import (
	"math"
	"slices"
	"sort"

	"github.com/kaudit/kaudit/audit"
)

const defaultIntervals = 256

// Intervals are stretches of time, such as writes from receipt to completion. Up to Cap of
// them are kept as they are. More are summed up in cells by the time when they end, each
// with their number and the extremes of their beginnings and ends. Answers are then lower
// bounds: an interval that can't be told from others is not counted. That takes at most 16
// bytes for each of Cap intervals, or 48 for each of Cap cells.
type Intervals struct {
	Cap   int               `json:"cap,omitempty"`   // 0 is 256
	N     int64             `json:"n"`               // how many were added
	Pairs []Interval        `json:"pairs,omitempty"` // by end, while exact
	Cells Cells[EndsWithin] `json:"cells,omitzero"`  // when no longer exact
}

// EndsWithin is what is known of the intervals that end within a step.
type EndsWithin struct {
	N         int64      `json:"n"`
	FirstFrom audit.Time `json:"firstFrom"`
	LastFrom  audit.Time `json:"lastFrom"`
	FirstTo   audit.Time `json:"firstTo"`
	LastTo    audit.Time `json:"lastTo"`
}

// Plus returns what is known of both.
func (e EndsWithin) Plus(o EndsWithin) EndsWithin {
	if e.N == 0 || o.N == 0 {
		if o.N != 0 {
			return o
		}
		return e
	}
	return EndsWithin{
		N:         e.N + o.N,
		FirstFrom: min(e.FirstFrom, o.FirstFrom), LastFrom: max(e.LastFrom, o.LastFrom),
		FirstTo: min(e.FirstTo, o.FirstTo), LastTo: max(e.LastTo, o.LastTo),
	}
}

func (e *EndsWithin) add(i Interval) {
	if e.N++; e.N == 1 {
		*e = EndsWithin{1, i.From, i.From, i.To, i.To}
		return
	}
	e.FirstFrom, e.LastFrom = min(e.FirstFrom, i.From), max(e.LastFrom, i.From)
	e.FirstTo, e.LastTo = min(e.FirstTo, i.To), max(e.LastTo, i.To)
}

// Add takes in the interval from from to to. If to is before from, which the clocks of
// several servers can cause, the two are swapped.
func (s *Intervals) Add(from, to audit.Time) {
	s.N++
	s.insert(Interval{min(from, to), max(from, to)})
}

// Merge takes in what o has.
func (s *Intervals) Merge(o *Intervals) {
	s.Cap = max(s.Cap, o.Cap)
	s.N += o.N
	for _, pair := range o.Pairs {
		s.insert(pair)
	}
	if o.Cells.Len() > 0 {
		s.spill()
		s.Cells.Merge(&o.Cells)
	}
}

func (s *Intervals) insert(pair Interval) {
	if s.Cells.Len() > 0 {
		s.Cells.At(pair.To).add(pair)
		return
	}
	n := len(s.Pairs)
	if n == 0 || s.Pairs[n-1].Compare(pair) <= 0 {
		s.Pairs = append(s.Pairs, pair)
	} else {
		i, _ := slices.BinarySearchFunc(s.Pairs, pair, Interval.Compare)
		s.Pairs = insert(s.Pairs, i, pair)
	}
	if len(s.Pairs) > s.size() {
		s.spill()
	}
}

// spill goes over from pairs to cells.
func (s *Intervals) spill() {
	pairs := s.Pairs
	s.Pairs = nil
	s.Cells.Cap = s.size()
	for _, p := range pairs {
		s.Cells.At(p.To).add(p)
	}
}

func (s *Intervals) size() int {
	if s.Cap > 0 {
		return max(s.Cap, minCells)
	}
	return defaultIntervals
}

// Exact reports whether every interval is kept, so that answers are exact.
func (s *Intervals) Exact() bool { return s.Cells.Len() == 0 }

// Count returns how many intervals were added.
func (s *Intervals) Count() int { return int(s.N) }

// Within returns how many intervals lie wholly inside [from, to]: at least so
// many, if not exact.
func (s *Intervals) Within(from, to audit.Time) int {
	n := 0
	pairs := s.Pairs[s.endingAfter(from-1):s.endingAfter(to)]
	for _, p := range pairs {
		if p.From >= from {
			n++
		}
	}
	for _, c := range s.touching(from, to) {
		v := c.Value
		switch {
		case v.FirstFrom >= from && v.LastTo <= to:
			n += int(v.N)
		case v.LastFrom >= from && v.LastTo <= to, // the last one to begin
			v.FirstFrom >= from && v.FirstTo <= to: // the first one to end
			n++
		}
	}
	return n
}

// Overlapping returns how many intervals have an instant in common with
// [from, to]: at least so many, if not exact.
func (s *Intervals) Overlapping(from, to audit.Time) int {
	n := 0
	for _, p := range s.Pairs[s.endingAfter(from-1):] {
		if p.From <= to {
			n++
		}
	}
	for _, c := range s.touching(from, math.MaxInt64) {
		v := c.Value
		switch {
		case v.FirstTo >= from && v.LastFrom <= to:
			n += int(v.N)
		case v.LastTo >= from && v.LastFrom <= to, // the last one to end
			v.FirstTo >= from && v.FirstFrom <= to: // the first one to begin
			n++
		}
	}
	return n
}

// LastEndingBefore returns the latest end at or before t: the true one may be
// a step later, if not exact.
func (s *Intervals) LastEndingBefore(t audit.Time) (end audit.Time, ok bool) {
	if i := s.endingAfter(t); i > 0 {
		return s.Pairs[i-1].To, true
	}
	for i := len(s.Cells.List) - 1; i >= 0; i-- {
		switch v := s.Cells.List[i].Value; {
		case v.LastTo <= t:
			return v.LastTo, true
		case v.FirstTo <= t:
			return v.FirstTo, true
		}
	}
	return 0, false
}

// First returns when the first of the intervals began.
func (s *Intervals) First() (from audit.Time, ok bool) {
	from = math.MaxInt64
	for _, p := range s.Pairs {
		from = min(from, p.From)
	}
	for _, c := range s.Cells.List {
		from = min(from, c.Value.FirstFrom)
	}
	return from, s.N > 0
}

// Joined returns the intervals in order of their ends. If they are not exact, those that end
// within a step are one, from the first beginning to the last end.
func (s *Intervals) Joined() []Interval {
	joined := slices.Clone(s.Pairs)
	for _, c := range s.Cells.List {
		joined = append(joined, Interval{c.Value.FirstFrom, c.Value.LastTo})
	}
	return joined
}

// endingAfter returns the index of the first pair that ends after t.
func (s *Intervals) endingAfter(t audit.Time) int {
	return sort.Search(len(s.Pairs), func(i int) bool { return s.Pairs[i].To > t })
}

// touching returns the cells of intervals of which some may end in [from, to].
func (s *Intervals) touching(from, to audit.Time) []Cell[EndsWithin] {
	list := s.Cells.List
	first := sort.Search(len(list), func(i int) bool { return list[i].Value.LastTo >= from })
	end := sort.Search(len(list), func(i int) bool { return list[i].Value.FirstTo > to })
	return list[first:max(first, end)]
}

// Plus makes Intervals a value of [Table]. It uses up both.
func (s Intervals) Plus(o Intervals) Intervals {
	s.Merge(&o)
	return s
}
