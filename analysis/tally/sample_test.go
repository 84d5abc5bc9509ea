package tally

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kaudit/kaudit/audit"
)

func TestASampleKeepsTheSmallest(t *testing.T) {
	s := Sample[word]{K: 3}
	for _, w := range strings.Fields("pear fig apple plum fig quince") {
		s.Add(word(w))
	}
	if got, want := fmt.Sprint(s.Items), "[apple fig fig]"; got != want || s.N != 6 || s.Whole() {
		t.Errorf("got %s of %d, whole %t; want %s of 6", got, s.N, s.Whole(), want)
	}
}

func TestASampleMakesOnlyWhatItKeeps(t *testing.T) {
	s, made := Sample[word]{K: 2}, 0
	for _, w := range []word{"b", "a", "c", "d", "e"} {
		s.Offer(func(kept *word) int { return w.Compare(*kept) }, func() word { made++; return w })
	}
	if made != 2 || s.N != 5 {
		t.Errorf("%d of %d were made, want 2 of 5", made, s.N)
	}
}

// TestRefsAreTheReferencesOfTheEarliestAndTheLatest compares with references
// made of all events and sorted.
func TestRefsAreTheReferencesOfTheEarliestAndTheLatest(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	early, late := Refs{K: 5}, LateRefs{K: 5}
	var all []audit.Ref
	for range 300 {
		e := someEvent(rng)
		early.Add(e)
		late.Add(e)
		all = append(all, e.Ref())
	}
	slices.SortStableFunc(all, audit.Ref.Compare)
	// Where events are equal in order, any will do.
	order := cmp.Comparer(func(a, b audit.Ref) bool { return a.Compare(b) == 0 })
	if diff := cmp.Diff(all[:5], early.Refs, order); diff != "" {
		t.Errorf("seed %d: earliest (-want +got):\n%s", seed, diff)
	}
	if diff := cmp.Diff(all[295:], late.Refs(), order); diff != "" {
		t.Errorf("seed %d: latest (-want +got):\n%s", seed, diff)
	}
}

func TestALateReferenceIsTheEventsOwn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		e := someEvent(rng)
		var late LateRefs
		late.Add(e)
		if diff := cmp.Diff([]audit.Ref{e.Ref()}, late.Refs()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestAPausesReferenceIsTheEventsOwn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		e := someEvent(rng)
		pauses := Pauses{LeastMicros: 1_000_000, Most: 4}
		pauses.Add(e)
		first, last, _ := pauses.Ends()
		if diff := cmp.Diff([]audit.Ref{e.Ref(), e.Ref()}, []audit.Ref{first.Ref(), last.Ref()}); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if first.Log() != e.Log {
			t.Fatalf("it is of log %q, want %q", first.Log(), e.Log)
		}
	}
}

func TestFullTalliesAllocateNothing(t *testing.T) {
	at := sec(0)
	e := &audit.Event{
		Source: "audit.log", AuditID: audit.View("3f2b7a9c-1d4e-4f60-8a7b-9c0d1e2f3a4b"),
		Verb: audit.VerbWatch, Resource: audit.Intern("pods"), Code: 200, Name: audit.View("web-0"),
		URI: audit.View("/api/v1/pods?resourceVersion=571"), Stage: audit.StageResponseComplete,
	}
	var refs Refs
	var late LateRefs
	var histogram Histogram
	var cover Cover
	var cells Cells[Count]
	var set Set
	pauses := Pauses{LeastMicros: 15_000_000, Most: 64}
	intervals, pairs := Intervals{Cap: 16}, Pairs{Cap: 16}
	step := func() {
		at = at.Add(1e6) // a millisecond: in order of time, as a log is
		e.At, e.Received, e.Offset = at, at, e.Offset+800
		refs.Add(e)
		late.Add(e)
		histogram.Add(e.At.Sub(sec(0)))
		cover.Add(at)
		pauses.Add(e)
		cells.Add(at, 1)
		set.AddBytes(e.Name)
		intervals.Add(at, at)
		pairs.Observe(e)
	}
	for range 100_000 {
		step()
	}
	// A step of cells and a kept pair come about now and then.
	if n := testing.AllocsPerRun(10_000, step); n >= 1 {
		t.Errorf("%v allocations an event", n)
	}
}
