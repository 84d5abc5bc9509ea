package tally

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestPausesAreTheLongTimesBetweenEvents(t *testing.T) {
	for _, c := range []struct {
		name   string
		most   int
		events []float64 // seconds, in the order of the log
		want   string
	}{
		{"a beat every ten seconds", 8, []float64{0, 10, 20, 30}, ""},
		{"a silence", 8, []float64{0, 10, 52, 60}, "10-52"},
		{"a late line that breaks it", 8, []float64{0, 10, 52, 60, 31}, "10-31 31-52"},
		{"a late line beside it", 8, []float64{0, 10, 52, 60, 12}, "12-52"},
		{"a late line before all", 8, []float64{100, 110, 0}, "0-100"},
		{"a log written backwards", 8, []float64{60, 52, 10, 0}, "10-52"},
		{"those that are long for a long log", 4, []float64{0, 20, 40, 60, 80, 200, 300, 400}, "80-200 200-300 300-400"},
	} {
		p := Pauses{LeastMicros: 15_000_000, Most: c.most}
		for i, at := range c.events {
			p.Add(&audit.Event{At: sec(at), Received: sec(at), Source: "audit.log", Offset: int64(i)})
		}
		p.settle()
		var got []Interval
		for i := range p.List {
			got = append(got, p.List[i].Interval())
		}
		if got := show(got); got != c.want {
			t.Errorf("%s: pauses %q, want %q", c.name, got, c.want)
		}
	}
}

// Two logs that each hear a node now and then have heard it all the time.
func TestAPauseOfOneLogIsNoneOfBoth(t *testing.T) {
	one, other := Pauses{LeastMicros: 15_000_000, Most: 8}, Pauses{LeastMicros: 15_000_000, Most: 8}
	for at := range 10 {
		p := &one
		if at%2 == 1 {
			p = &other
		}
		p.Add(&audit.Event{At: sec(float64(10 * at)), Received: sec(float64(10 * at)), Offset: int64(at)})
	}
	if one.Merge(&other); len(one.List) != 0 {
		t.Errorf("%d pauses, want none", len(one.List))
	}
	if pause := one.At(Interval{sec(5), sec(6)}); pause != nil {
		t.Errorf("a pause %v, want none", pause.Interval())
	}
}
