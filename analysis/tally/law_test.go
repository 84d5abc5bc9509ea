package tally

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A kind of tally, as the law sees it: an observation is a random number's
// worth of something to add.
type kind struct {
	name string
	new  func() any
	add  func(tally any, rng *rand.Rand)
	join func(tally, other any)
}

// of makes a kind of a tally whose zero value is start.
func of[T any](name string, start T, add func(*T, *rand.Rand), join func(t, o *T)) kind {
	return kind{
		name: name,
		new:  func() any { t := start; return &t },
		add:  func(t any, rng *rand.Rand) { add(t.(*T), rng) },
		join: func(t, o any) { join(t.(*T), o.(*T)) },
	}
}

// word orders strings, for a sample of them.
type word string

func (w word) Compare(o word) int {
	switch {
	case w < o:
		return -1
	case w > o:
		return 1
	}
	return 0
}

var kinds = []kind{
	of("span", Span{}, func(s *Span, rng *rand.Rand) { s.Add(someTime(rng)) },
		func(s, o *Span) { s.Merge(*o) }),
	of("histogram", Histogram{}, func(h *Histogram, rng *rand.Rand) { h.Add(someDuration(rng)) },
		(*Histogram).Merge),
	of("sample", Sample[word]{K: 5}, func(s *Sample[word], rng *rand.Rand) {
		w := word(someName(rng))
		s.Offer(func(kept *word) int { return w.Compare(*kept) }, func() word { return w })
	}, (*Sample[word]).Merge),
	of("refs", Refs{}, func(r *Refs, rng *rand.Rand) { r.Add(someEvent(rng)) }, (*Refs).Merge),
	of("late refs", LateRefs{}, func(r *LateRefs, rng *rand.Rand) { r.Add(someEvent(rng)) }, (*LateRefs).Merge),
	of("pauses", Pauses{LeastMicros: 1_000_000, Most: 4}, func(p *Pauses, rng *rand.Rand) { p.Add(someEvent(rng)) }, (*Pauses).Merge),
	of("many pauses", Pauses{LeastMicros: 1, Most: 1000}, func(p *Pauses, rng *rand.Rand) { p.Add(someEvent(rng)) }, (*Pauses).Merge),
	of("twins", Twins{}, func(s *Twins, rng *rand.Rand) { s.Observe(someEvent(rng)) }, (*Twins).Merge),
	of("filter", Filter{}, func(f *Filter, rng *rand.Rand) { f.Add(someName(rng)) }, (*Filter).Merge),
	of("set", Set{}, func(s *Set, rng *rand.Rand) { s.Add(someName(rng)) }, (*Set).Merge),
	of("table", Table[Histogram]{Cap: 7}, func(t *Table[Histogram], rng *rand.Rand) {
		if h := t.At(someName(rng)); h != nil {
			h.Add(someDuration(rng))
		}
	}, (*Table[Histogram]).Merge),
	of("cells", Cells[Count]{Cap: 9}, func(c *Cells[Count], rng *rand.Rand) { c.Add(someTime(rng), 1) },
		(*Cells[Count]).Merge),
	of("cells of histograms", Cells[Histogram]{Cap: 4, StepMicros: 5_000_000}, func(c *Cells[Histogram], rng *rand.Rand) {
		c.At(someTime(rng)).Add(someDuration(rng))
	}, (*Cells[Histogram]).Merge),
	of("cover", Cover{Cap: 4}, func(c *Cover, rng *rand.Rand) { c.Add(someTime(rng)) }, (*Cover).Merge),
	of("presence", Presence{Cover: Cover{Cap: 4}}, func(p *Presence, rng *rand.Rand) { p.Add(someTime(rng)) }, (*Presence).Merge),
	of("intervals", Intervals{Cap: 20}, func(s *Intervals, rng *rand.Rand) {
		t := someTime(rng)
		s.Add(t, t.Add(someDuration(rng)))
	}, (*Intervals).Merge),
	of("pairs", Pairs{Cap: 10}, func(p *Pairs, rng *rand.Rand) {
		if e := someEvent(rng); rng.IntN(5) == 0 {
			p.Close(e)
		} else {
			p.Observe(e)
		}
	}, (*Pairs).Merge),
	of("balance", Balance{}, func(b *Balance, rng *rand.Rand) { b.Observe(someEvent(rng)) }, (*Balance).Merge),
}

// TestTheLaw holds every kind to the law: split, shuffled, merged in any order
// and saved on the way, the result is that of adding all to one.
func TestTheLaw(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{0, 1, 3, 30, 300} {
			for seed := range uint64(20) {
				if !k.lawful(t, seed, n) {
					t.Errorf("%s: %d observations with seed %d", k.name, n, seed)
				}
			}
		}
	}
}

// FuzzTheLaw looks for a seed that breaks it.
func FuzzTheLaw(f *testing.F) {
	f.Add(uint8(0), uint64(0), uint16(3))
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, n uint16) {
		if k := kinds[int(which)%len(kinds)]; !k.lawful(t, seed, int(n%400)) {
			t.Errorf("%s: %d observations with seed %d", k.name, n%400, seed)
		}
	})
}

func (k kind) lawful(t *testing.T, seed uint64, n int) bool {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	observations := make([]uint64, n) // seeds, so that each can be made again
	for i := range observations {
		observations[i] = rng.Uint64()
	}
	serial := k.new()
	for _, o := range observations {
		k.add(serial, rand.New(rand.NewPCG(o, 0)))
	}
	want := save(t, serial)
	rng.Shuffle(n, func(i, j int) { observations[i], observations[j] = observations[j], observations[i] })
	parts := make([]any, 1+rng.IntN(5))
	for i := range parts {
		parts[i] = k.new()
	}
	for _, o := range observations {
		i := rng.IntN(len(parts))
		if rng.IntN(10) == 0 {
			parts[i] = k.reread(t, parts[i])
		}
		k.add(parts[i], rand.New(rand.NewPCG(o, 0)))
	}
	for len(parts) > 1 {
		i, last := rng.IntN(len(parts)-1), len(parts)-1
		k.join(parts[i], parts[last])
		parts = parts[:last]
	}
	if got := save(t, parts[0]); got != want {
		t.Logf("got  %s\nwant %s", got, want)
		return false
	}
	return true
}

func (k kind) reread(t *testing.T, tally any) any {
	t.Helper()
	again := k.new()
	if err := json.Unmarshal([]byte(save(t, tally)), again); err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	return again
}

func save(t *testing.T, tally any) string {
	t.Helper()
	raw, err := json.Marshal(tally)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// base is when the tests' logs begin.
var base = audit.TimeOf(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC))

func sec(s float64) audit.Time { return base + audit.Time(s*1e6) }

// someTime is within a day as a rule, with some years between now and then.
func someTime(rng *rand.Rand) audit.Time {
	if rng.IntN(50) == 0 {
		return base.Add(time.Duration(rng.Int64N(int64(20 * 365 * 24 * time.Hour))))
	}
	return base.Add(time.Duration(rng.Int64N(int64(24*time.Hour) >> rng.IntN(10))))
}

func someDuration(rng *rand.Rand) time.Duration {
	return time.Duration(rng.Int64N(int64(time.Hour) >> rng.IntN(32)))
}

func someName(rng *rand.Rand) string { return fmt.Sprintf("name-%d", rng.IntN(100)) }

// someEvent is some stage of one of 40 requests.
func someEvent(rng *rand.Rand) *audit.Event {
	request := rng.IntN(40)
	own := rand.New(rand.NewPCG(uint64(request), 1))
	line := rng.IntN(100_000)
	e := &audit.Event{
		Source: fmt.Sprintf("audit-%d.log", rng.IntN(3)), Offset: 100 * int64(line), Line: line,
		AuditID: audit.View(fmt.Sprintf("id-%d", request)), Received: someTime(own),
		Verb: audit.VerbGet, Resource: audit.Intern("pods"), Name: audit.View("web-0"),
		URI: audit.View("/api/v1/namespaces/shop/pods/web-0"), User: audit.Intern("alice"),
		Code: []int{200, 200, 401, 404}[own.IntN(4)],
	}
	if own.IntN(2) == 0 {
		e.Verb, e.URI = audit.VerbWatch, audit.View("/api/v1/pods?resourceVersion=5%2B7&watch=true")
	}
	if own.IntN(4) == 0 {
		e.Resource, e.Name, e.URI = audit.Sym{}, nil, audit.View("/healthz?verbose")
	}
	e.Stage = audit.Stage(1 + rng.IntN(int(audit.StagePanic)))
	e.At = e.Received.Add(time.Duration(e.Stage) * someDuration(own))
	return e
}
