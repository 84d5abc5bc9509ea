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

// TestLocksOfALongLogAreNoLoops: three locks that are read and renewed every two seconds
// for two days. Their keys share counters, and no count may make a loop of that.
func TestLocksOfALongLogAreNoLoops(t *testing.T) {
	s := newState()
	s.startCounts()
	const minutes, each = 2 * 24 * 60, 30
	at := func(minute int) audit.Time { return audit.Time(minute * microsOfMinute) }
	holder := writer{user: audit.Intern("system:kube-scheduler")}
	locks := map[uint64][]item{}
	for _, name := range []string{"kube-scheduler", "kube-controller-manager", "ingress-leader"} {
		lock := tally.Hash("kube-system/" + name)
		for minute := range minutes {
			for range each {
				s.Counts.count(aWrite, lock, audit.Sym{}, holder, 200, at(minute))
			}
			for range each / oneRead {
				s.Counts.count(aRead, lock, audit.Sym{}, holder, 200, at(minute))
			}
			locks[lock] = append(locks[lock], item{line: &line{object: lock, Late: tally.Late{Time: at(minute)}}})
		}
	}
	facts := analysis.NewFacts()
	facts.Span = tally.Span{First: at(0), Last: at(minutes)}
	c := census{Pass: &analysis.Pass{Facts: facts, Analyzer: New()}, State: s, usual: s.Counts.usual()}
	for lock, kept := range locks {
		for minute := range minutes {
			if got := c.readsBy(holder.user, lock, int64(minute)); got > 2*each {
				t.Errorf("%d reads of a lock in minute %d, want %d or so", got, minute, each)
			}
		}
		for _, one := range kept {
			if l := c.busy(lock, []item{one}); l != nil {
				t.Errorf("%d writes of a lock in and around minute %d are a loop", l.sum.writes, minuteOf(one.Began()))
			}
		}
	}
}
