package tally

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kaudit/kaudit/audit"
)

// show writes intervals in seconds after base.
func show(intervals []Interval) string {
	var parts []string
	for _, i := range intervals {
		parts = append(parts, fmt.Sprintf("%g-%g", i.From.Sub(base).Seconds(), i.To.Sub(base).Seconds()))
	}
	return strings.Join(parts, " ")
}

func TestCellsDoubleTheirStep(t *testing.T) {
	c := Cells[Count]{Cap: 4}
	for i := range 16 {
		c.Add(sec(float64(i)), Count(i))
	}
	var steps []Interval
	var sums []Count
	for step, n := range c.All() {
		steps, sums = append(steps, step), append(sums, *n)
	}
	if got, want := show(steps), "0-4 4-8 8-12 12-16"; got != want || c.Step() != 4*time.Second {
		t.Errorf("steps %s of %v, want %s", got, c.Step(), want)
	}
	if diff := cmp.Diff([]Count{6, 22, 38, 54}, sums); diff != "" {
		t.Error(diff)
	}
}

func TestCellsHoldAnyTime(t *testing.T) {
	c := Cells[Count]{Cap: 1}
	for _, at := range []audit.Time{-1 << 63, -1, 0, 1, 1<<63 - 1} {
		c.Add(at, 1)
	}
	var sum Count
	for _, n := range c.All() {
		sum += *n
	}
	if sum != 5 || c.Len() > minCells {
		t.Errorf("%d in %d cells", sum, c.Len())
	}
}

func TestACoverTellsGaps(t *testing.T) {
	var c Cover
	for _, s := range []float64{0, 4, 7, 12, 40, 41, 400, 700} {
		c.Add(sec(s))
	}
	if got, want := show(c.Gaps(time.Second)), "15-40 45-400 405-700"; got != want {
		t.Errorf("gaps %s, want %s", got, want)
	}
	if got, want := show(c.Gaps(30*time.Second)), "45-400 405-700"; got != want {
		t.Errorf("gaps of 30 s %s, want %s", got, want)
	}
	for _, ask := range []struct {
		from, to float64
		want     bool
	}{{0, 1, true}, {15, 39, false}, {13, 14, true}, {45, 399, false}, {45, 400, true}, {-50, -1, false}, {705, 9999, false}, {-50, 9999, true}} {
		if got := c.Any(sec(ask.from), sec(ask.to)); got != ask.want {
			t.Errorf("anything from %g to %g: %t", ask.from, ask.to, got)
		}
	}
	if span, ok := c.Span(); !ok || show([]Interval{span}) != "0-705" || c.Steps() != 6 {
		t.Errorf("span %v %t, %d steps", span, ok, c.Steps())
	}
}

// TestAPresenceKnowsItsGapsExactly compares them with what a list of all says.
func TestAPresenceKnowsItsGapsExactly(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		p := Presence{Cover: Cover{Cap: 4}}
		var times []audit.Time
		for range rng.IntN(400) {
			t := someTime(rng)
			times = append(times, t)
			p.Add(t)
		}
		slices.Sort(times)
		var want []Interval
		for _, gap := range p.Cover.Gaps(2 * p.Step()) {
			i, _ := slices.BinarySearch(times, gap.To)
			want = append(want, Interval{times[i-1], times[i]})
		}
		if got := p.Gaps(0); !slices.Equal(got, want) {
			t.Errorf("seed %d: gaps %s, want %s", seed, show(got), show(want))
		}
	}
}

func TestACoverOf30DaysIsSmall(t *testing.T) {
	var c Cover
	for s := 0.0; s < 30*24*3600; s += 5 {
		if s < 1e6 || s > 1e6+600 {
			c.Add(sec(s))
		}
	}
	if len(c.Words) > defaultCoverWords || c.Step() > 5*time.Minute {
		t.Errorf("%d words with steps of %v", len(c.Words), c.Step())
	}
	gaps := c.Gaps(time.Minute)
	if len(gaps) != 1 || gaps[0].Len() < 5*time.Minute || gaps[0].Len() > 11*time.Minute {
		t.Errorf("gaps %s, want the one of 10 minutes", show(gaps))
	}
}

// TestIntervalsNeverCountTooMany compares exact and coarse ones with what a
// list of all says.
func TestIntervalsNeverCountTooMany(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	found := 0
	for round := range 100 {
		s := Intervals{Cap: 40}
		var all []Interval
		for range 20 * (1 + round%10) {
			from := someTime(rng)
			to := from.Add(someDuration(rng))
			s.Add(to, from) // turned round: it must not matter
			all = append(all, Interval{from, to})
		}
		for range 100 {
			ask := Interval{someTime(rng), someTime(rng)}
			ask = Interval{min(ask.From, ask.To), max(ask.From, ask.To)}
			var within, overlapping int
			var last audit.Time
			for _, i := range all {
				if i.Within(ask) {
					within++
				}
				if i.Overlaps(ask) {
					overlapping++
				}
				if i.To <= ask.To {
					last = max(last, i.To)
				}
			}
			gotWithin, gotOverlapping := s.Within(ask.From, ask.To), s.Overlapping(ask.From, ask.To)
			gotLast, _ := s.LastEndingBefore(ask.To)
			if gotWithin > within || gotOverlapping > overlapping || gotLast > last {
				t.Fatalf("seed %d: %d within, %d overlapping, last %v; want at most %d, %d, %v",
					seed, gotWithin, gotOverlapping, gotLast, within, overlapping, last)
			}
			if s.Exact() && (gotWithin != within || gotOverlapping != overlapping || gotLast != last) {
				t.Fatalf("seed %d: %d within, %d overlapping, last %v; want exactly %d, %d, %v",
					seed, gotWithin, gotOverlapping, gotLast, within, overlapping, last)
			}
			if !s.Exact() && gotWithin > 0 {
				found++
			}
		}
		if s.Exact() != (len(all) <= 40) || s.Count() != len(all) {
			t.Errorf("of %d intervals, %d are counted and exact is %t", len(all), s.Count(), s.Exact())
		}
	}
	if found == 0 {
		t.Error("coarse intervals find nothing")
	}
}

func TestIntervalsKnowTheirEnds(t *testing.T) {
	for _, size := range []int{100, 4} { // exact and coarse
		s := Intervals{Cap: size}
		if _, ok := s.First(); ok {
			t.Error("no intervals have a first")
		}
		for i := range 10 {
			s.Add(sec(float64(10*i)), sec(float64(10*i+5)))
		}
		first, _ := s.First()
		last, _ := s.LastEndingBefore(sec(1000))
		if first != sec(0) || last != sec(95) || s.Exact() != (size == 100) {
			t.Errorf("cap %d: from %v to %v, exact %t", size, first, last, s.Exact())
		}
	}
}
