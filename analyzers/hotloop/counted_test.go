package hotloop

import (
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// TestACourseEndsWithTheLog: in a cluster that is busy enough every counter
// counts something at every minute there is.
func TestACourseEndsWithTheLog(t *testing.T) {
	at := audit.TimeOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	facts := analysis.NewFacts()
	facts.Span = tally.Span{First: at.Add(-time.Hour), Last: at.Add(time.Hour)}
	c := census{Pass: &analysis.Pass{Facts: facts, Analyzer: New()}, State: newState()}
	kept := []item{{line: &line{Late: tally.Late{Time: at}}}}
	if got := c.course(kept, 2, func(int64) int { return 1 }); len(got) != 122 {
		t.Errorf("%d minutes of a log of two hours; want each of its 121, and one before", len(got))
	}
}

// TestTheFewestChangesOfHands: seconds in which several wrote are read as it takes
// the fewest.
func TestTheFewestChangesOfHands(t *testing.T) {
	for _, c := range []struct {
		seconds []string // of each client: a letter a second, x if it wrote
		want    int
	}{
		{[]string{"x x x ", " x x x"}, 5},
		{[]string{"xxx   ", "   xxx"}, 1},
		{[]string{"x     ", "      "}, 0},
		{[]string{"xxxx", "xxxx"}, 4}, // a b, b a, a b, b a
		{[]string{"x  x", " xx "}, 2}, // a, b, b, a
		{[]string{"x x", " xx"}, 2},   // a, b, b a
		{[]string{"x   ", " x  ", "  x "}, 2},
	} {
		var seconds []uint64
		for _, text := range c.seconds {
			bits := uint64(0)
			for i := range text {
				if text[i] == 'x' {
					bits |= 1 << i
				}
			}
			seconds = append(seconds, bits)
		}
		if got := newTurn(len(seconds)).minute(seconds); got != c.want {
			t.Errorf("%q: %d changes of hands, want %d", c.seconds, got, c.want)
		}
	}
}
