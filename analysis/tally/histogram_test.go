package tally

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestAQuantileIsOffByAtMost1Point6Percent(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var h Histogram
		var all []time.Duration
		for range 1 + rng.IntN(500) {
			d := time.Duration(rng.Int64N(int64(24*time.Hour) >> rng.IntN(40))).Truncate(time.Microsecond)
			h.Add(d)
			all = append(all, d)
		}
		slices.Sort(all)
		for _, q := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1} {
			want := all[min(max(int(q*float64(len(all))+0.9999999)-1, 0), len(all)-1)]
			got := h.Quantile(q)
			if err := (got - want).Abs().Seconds() / max(want.Seconds(), 1e-9); err > 1.0/64+1e-6 {
				t.Fatalf("seed %d: quantile %g of %d is %v, want %v", seed, q, len(all), got, want)
			}
			if (q == 0 || q == 1) && got != want {
				t.Fatalf("seed %d: quantile %g is %v, want exactly %v", seed, q, got, want)
			}
		}
	}
}

func TestAHistogramKnowsItsEnds(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{3 * time.Second, -time.Second, 90 * time.Minute, 40 * time.Microsecond} {
		h.Add(d)
	}
	if h.Count() != 4 || h.Min() != 0 || h.Max() != 90*time.Minute {
		t.Errorf("count %d min %v max %v", h.Count(), h.Min(), h.Max())
	}
	if empty := (Histogram{}); empty.Quantile(0.5) != 0 || empty.AtLeast(0) != 0 {
		t.Error("an empty histogram tells durations")
	}
}

func TestAtLeastCountsFromTheTop(t *testing.T) {
	var h Histogram
	for i := range 100 {
		h.Add(time.Duration(i+1) * time.Second)
	}
	for d, want := range map[time.Duration][2]int64{
		0: {100, 100}, time.Second: {100, 100}, 50 * time.Second: {50, 52},
		100 * time.Second: {1, 2}, 101 * time.Second: {0, 0}, time.Hour: {0, 0},
	} {
		if got := h.AtLeast(d); got < want[0] || got > want[1] {
			t.Errorf("%d were %v or longer, want %v", got, d, want)
		}
	}
}

func TestBucketsFollowOneAnother(t *testing.T) {
	var next int64
	for index := range uint16(1900) {
		low, high := boundsOf(index)
		if low != next || high < low || bucketOf(low) != index || bucketOf(high) != index {
			t.Fatalf("bucket %d is %d to %d, want it to begin at %d", index, low, high, next)
		}
		if next = high + 1; next < 0 {
			return // the largest number there is
		}
	}
	t.Errorf("1900 buckets end at %d", next)
}
