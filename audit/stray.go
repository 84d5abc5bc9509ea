package audit

import (
	"slices"
	"time"
)

// A wrong clock puts events years from all others. It is told by what its
// moment is not: an API server that runs speaks all the time.

// StrayAway is the least distance in time from all other events at which events
// are taken to be stamped by a wrong clock. A smaller distance may be ordinary
// clock skew, or a server that was stopped for a while.
const StrayAway = 24 * time.Hour

// StrayLen is the least time over which an API server with a right clock has
// events: it renews its own leases within a quarter of a minute.
const StrayLen = 15 * time.Second

// Latest returns the latest of times, without those at the end that a wrong
// clock has set: a group shorter than StrayLen, and further from the others
// than StrayAway and than these are from each other. It sorts times, and
// returns 0 if there are none.
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
