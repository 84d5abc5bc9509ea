package tally

import "slices"

// An Item has a total order: Compare is 0 for equal items only.
type Item[T any] interface{ Compare(T) int }

// defaultSample is how many items a sample keeps: as many lines as a finding
// may quote.
const defaultSample = 8

// A Sample keeps the K smallest of the items offered. To keep the largest, let
// Compare be the other way round.
type Sample[T Item[T]] struct {
	K     int   `json:"k,omitempty"` // how many to keep; 0 is 8
	N     int64 `json:"n"`           // how many were offered
	Items []T   `json:"items,omitempty"`
}

// Add offers v.
func (s *Sample[T]) Add(v T) {
	s.N++
	s.insert(v)
}

// Offer is Add for an item that is expensive to make: compare compares it with a kept one,
// and build makes it only if it is to be kept.
func (s *Sample[T]) Offer(compare func(kept *T) int, build func() T) {
	s.N++
	if len(s.Items) >= s.size() && compare(&s.Items[len(s.Items)-1]) >= 0 {
		return
	}
	s.insert(build())
}

// Merge takes in what was offered to o.
func (s *Sample[T]) Merge(o *Sample[T]) {
	s.N += o.N
	s.K = max(s.K, o.K)
	for _, v := range o.Items {
		s.insert(v)
	}
}

// Whole reports whether everything that was offered was kept.
func (s *Sample[T]) Whole() bool { return s.N == int64(len(s.Items)) }

func (s *Sample[T]) size() int {
	if s.K > 0 {
		return s.K
	}
	return defaultSample
}

func (s *Sample[T]) insert(v T) {
	full := len(s.Items) >= s.size()
	if full && v.Compare(s.Items[len(s.Items)-1]) >= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(s.Items, v, func(a, b T) int { return a.Compare(b) })
	if full {
		s.Items = s.Items[:len(s.Items)-1]
	}
	s.Items = slices.Insert(s.Items, i, v)
}
