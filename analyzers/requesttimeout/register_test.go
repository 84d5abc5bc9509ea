package requesttimeout

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How many requests are kept, and how many there are.
const (
	room      = 1 << 12
	lifetimes = 3 * room
)

// halves returns the beginnings and ends of more requests than a register
// keeps; every hundredth has no end.
func halves() []audit.Event {
	var events []audit.Event
	for i := range lifetimes {
		e := audit.Event{
			Source: "audit.log", Log: "audit.log", Offset: int64(i), Verb: audit.VerbGet,
			AuditID: audit.View(fmt.Sprint("id-", i)), Received: audit.Time(i + 1), At: audit.Time(i + 1),
			Stage: audit.StageRequestReceived,
		}
		events = append(events, e)
		if i%100 != 0 {
			e.Stage, e.At = audit.StageResponseComplete, e.At+5
			events = append(events, e)
		}
	}
	return events
}

func TestAFullRegisterDoesNotDependOnHowTheLogWasCut(t *testing.T) {
	const workers = 3
	events := halves()
	rng := rand.New(rand.NewPCG(1, 2))
	serial := Register{cap: room}
	for i := range events {
		serial.observe(&events[i])
	}
	dealt := [workers]Register{{cap: room}, {cap: room}, {cap: room}}
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for i := range events {
		dealt[rng.IntN(workers)].observe(&events[i])
	}
	for i := 1; i < workers; i++ {
		dealt[0].merge(&dealt[i])
	}
	want, got := saved(t, &serial), saved(t, &dealt[0])
	if got != want {
		t.Errorf("dealt to %d workers a register has %d bytes, in order %d, or they differ", workers, len(got), len(want))
	}
}

func TestAFullRegisterFindsOnlyWhatHasNoEnd(t *testing.T) {
	events := halves()
	r := Register{cap: room}
	for i := range events {
		r.observe(&events[i])
	}
	open, share := r.unended(), r.share()
	if share != 0.25 {
		t.Errorf("the share is %.3f; want a quarter", share)
	}
	if n := float64(len(open)) / share; n < 0.7*lifetimes/100 || n > 1.3*lifetimes/100 {
		t.Errorf("%d requests are open, which stands for %.0f; want about %d", len(open), n, lifetimes/100)
	}
	var total tally.Stages
	for _, stages := range r.balances["audit.log"].Cells.All() {
		total = total.Plus(*stages)
	}
	if n := total.Received - total.Closed; n != (lifetimes+99)/100 {
		t.Errorf("by count %d requests are open; want %d", n, (lifetimes+99)/100)
	}
	for _, b := range open {
		if (b.Received-1)%100 != 0 {
			t.Errorf("the request received at %d has an end, and is said to be open", b.Received)
		}
	}
}

// Three hundred thousand requests, six of which are never answered.
func TestALongLogNamesAllThatHasNoEnd(t *testing.T) {
	const requests, each = 300_000, 50_000
	var r Register
	var want []audit.Time
	for i := range requests {
		e := audit.Event{
			Source: "audit.log", Log: "audit.log", Offset: int64(i), Verb: audit.VerbGet,
			AuditID: audit.View("id"), Received: audit.Time(i + 1), At: audit.Time(i + 1), Stage: audit.StageRequestReceived,
		}
		r.observe(&e)
		if i%each == each/2 {
			want = append(want, e.Received)
			continue
		}
		e.Stage, e.At = audit.StageResponseComplete, e.At+5
		r.observe(&e)
	}
	var got []audit.Time
	for _, b := range r.unended() {
		got = append(got, b.Received)
	}
	if !slices.Equal(got, want) {
		t.Errorf("of %d requests those received at %v are open, want %v", requests, got, want)
	}
}

func saved(t *testing.T, r *Register) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestRowsAreAMap compares them with a map, through growth and removal.
func TestRowsAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var r rows
	want := map[uint64]*begun{}
	for halve := range 4 {
		for range 5000 {
			hash := rng.Uint64()
			if bits.LeadingZeros64(hash) < halve {
				continue
			}
			if row, seen := r.at(hash); seen {
				t.Fatalf("%x is there, and was never put", hash)
			} else {
				row.b = &begun{Hash: hash}
				want[hash] = row.b
			}
		}
		r.lower(halve + 1)
		maps.DeleteFunc(want, func(hash uint64, _ *begun) bool { return bits.LeadingZeros64(hash) < halve+1 })
		got := map[uint64]*begun{}
		for row := range r.all() {
			got[row.hash] = row.b
		}
		if !maps.Equal(got, want) || r.n != len(want) {
			t.Fatalf("with %d leading zeros: %d rows, counted as %d; want %d, or they differ", halve+1, len(got), r.n, len(want))
		}
		for hash := range want {
			if _, seen := r.at(hash); !seen {
				t.Fatalf("%x is not found", hash)
			}
		}
	}
}
