package audit

import (
	"slices"
	"time"
)

// A wrong clock puts events years from all others. It is told by what its
// moment is not: an API server that runs speaks all the time.

// StrayAway is how far from all others events stand at least by a clock that is
// wrong: what is nearer is how clocks differ, or a server that was stopped.
const StrayAway = 24 * time.Hour

// StrayLen is how long an API server speaks at least that was running: in a
// quarter of a minute it renews its own leases.
const StrayLen = 15 * time.Second

// Latest returns the latest of times that no wrong clock has put behind the
// others: a moment shorter than StrayLen that is further from them than
// StrayAway and than they are from each other. It sorts the times, and returns
// 0 if there are none.
func Latest(times []Time) Time {
	slices.Sort(times)
	for len(times) > 0 {
		from := len(times) - 1
		for from > 0 && times[from].Sub(times[from-1]) < StrayAway {
			from--
		}
		last := times[len(times)-1]
		if from == 0 || last.Sub(times[from]) >= StrayLen {
			return last
		}
		body := times[from-1].Sub(times[0])
		if body < StrayLen || times[from].Sub(times[from-1]) <= body {
			return last
		}
		times = times[:from]
	}
	return 0
}
