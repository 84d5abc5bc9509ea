package tally

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// A Histogram counts durations in buckets, 32 to every doubling, so that a quantile is off
// by at most 1.6 % (half a bucket). It is exact below 64 µs, at the minimum and at the
// maximum. Only buckets in use are kept: a few hundred bytes as a rule, and at most some
// 1900 buckets.
type Histogram struct {
	N         int64    `json:"n"`
	MinMicros int64    `json:"minMicros"`
	MaxMicros int64    `json:"maxMicros"`
	Buckets   []Bucket `json:"buckets,omitempty"` // by index
}

// A Bucket is how many durations fell into the bucket with an index.
type Bucket struct {
	Index uint16 `json:"i"`
	N     int64  `json:"n"`
}

const subBits = 5 // 2^5 buckets to a doubling

// Add takes in d. A negative duration, which clocks that were set back can
// make, counts as zero.
func (h *Histogram) Add(d time.Duration) {
	micros := max(d.Microseconds(), 0)
	if h.N == 0 || micros < h.MinMicros {
		h.MinMicros = micros
	}
	h.MaxMicros = max(h.MaxMicros, micros)
	h.N++
	h.bucket(bucketOf(micros)).N++
}

func (h *Histogram) bucket(index uint16) *Bucket {
	i, found := slices.BinarySearchFunc(h.Buckets, index, func(b Bucket, index uint16) int {
		return int(b.Index) - int(index)
	})
	if !found {
		h.Buckets = slices.Insert(h.Buckets, i, Bucket{Index: index})
	}
	return &h.Buckets[i]
}

// Merge takes in what o has counted.
func (h *Histogram) Merge(o *Histogram) {
	if o.N == 0 {
		return
	}
	if h.N == 0 || o.MinMicros < h.MinMicros {
		h.MinMicros = o.MinMicros
	}
	h.MaxMicros = max(h.MaxMicros, o.MaxMicros)
	h.N += o.N
	for _, b := range o.Buckets {
		h.bucket(b.Index).N += b.N
	}
}

// Plus makes a Histogram a cell of [Cells]. It uses up both.
func (h Histogram) Plus(o Histogram) Histogram {
	h.Merge(&o)
	return h
}

// Count returns how many durations were added.
func (h *Histogram) Count() int64 { return h.N }

// Min returns the shortest duration, or 0.
func (h *Histogram) Min() time.Duration { return time.Duration(h.MinMicros) * time.Microsecond }

// Max returns the longest duration, or 0.
func (h *Histogram) Max() time.Duration { return time.Duration(h.MaxMicros) * time.Microsecond }

// Quantile returns a duration that a share q of all durations does not exceed:
// 0.5 is the median, 0 the minimum and 1 the maximum. Of none it is 0.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := int64(math.Ceil(q * float64(h.N)))
	switch {
	case rank <= 1:
		return h.Min()
	case rank >= h.N:
		return h.Max()
	}
	for _, b := range h.Buckets {
		if rank -= b.N; rank <= 0 {
			low, high := boundsOf(b.Index)
			middle := low + (high-low)/2
			return time.Duration(min(max(middle, h.MinMicros), h.MaxMicros)) * time.Microsecond
		}
	}
	return h.Max()
}

// AtLeast returns how many durations were d or longer. Those in d's own bucket
// are counted if most of the bucket is: the error is that of Quantile.
func (h *Histogram) AtLeast(d time.Duration) int64 {
	micros := d.Microseconds()
	if micros <= h.MinMicros {
		return h.N
	}
	var n int64
	for i := len(h.Buckets) - 1; i >= 0; i-- {
		low, high := boundsOf(h.Buckets[i].Index)
		if low+(high-low)/2 < micros {
			break
		}
		n += h.Buckets[i].N
	}
	if n == 0 && h.N > 0 && micros <= h.MaxMicros {
		n = 1
	}
	return n
}

// bucketOf returns the index of the bucket for a number of microseconds: the
// number itself below 64; above, the place of its highest bit and the five
// bits after it.
func bucketOf(micros int64) uint16 {
	shift := bits.Len64(uint64(micros)) - subBits - 1
	if shift <= 0 {
		return uint16(micros)
	}
	return uint16(shift<<subBits + int(micros>>shift))
}

// boundsOf returns the smallest and the largest number of a bucket.
func boundsOf(index uint16) (low, high int64) {
	if index < 2<<subBits {
		return int64(index), int64(index)
	}
	shift := int(index)>>subBits - 1
	low = int64(index)&(1<<subBits-1) | 1<<subBits
	return low << shift, (low+1)<<shift - 1
}
