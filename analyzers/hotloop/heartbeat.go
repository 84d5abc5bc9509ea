package hotloop

import (
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// heartbeats reports whether an object's writes may be heartbeats: of one writer, or of
// two at paces of their own.
func (c *census) heartbeats(object uint64, l *loop, writes course, minutes []int64) bool {
	writers := byWriter(writesOf(l.items))
	if len(writers) == 1 {
		return c.heartbeat(writes, minutes)
	}
	if len(writers) != 2 {
		return false
	}
	var of [2]int
	for i, w := range writers {
		theirs := course{}
		for _, minute := range minutes {
			theirs[minute] = c.writesBy(w.key, object, minute)
		}
		if of[i] = theirs.sum(minutes); !c.heartbeat(theirs, minutes) {
			return false
		}
	}
	return 5*(of[0]+of[1]) >= 4*writes.sum(minutes) && apart(of[0], of[1])
}

// apart reports whether two clients wrote an object at different paces. Clients that undo
// each other's work write equally often.
func apart(one, two int) bool { return 10*min(one, two) < 9*max(one, two) }

// heartbeat reports whether a writer's pace may be a heartbeat's. It must not be faster
// than the shortest heartbeat, give or take a twentieth, and steady: minutes differ by at
// most a tenth, or by one write. A loop's minutes differ more. Writes to a Lease need not
// be steady, and what begins and ends within few minutes is no heartbeat.
func (c *census) heartbeat(writes course, minutes []int64) bool {
	const few = 3
	brief := len(minutes) <= few && minutes[0] > minuteOf(c.Facts.Span.First) && minutes[len(minutes)-1] < minuteOf(c.Facts.Span.Last)
	if len(minutes) > few {
		minutes = minutes[1 : len(minutes)-1] // not all of the first and the last may be counted
	}
	fastest, slowest := 0, math.MaxInt
	for _, minute := range minutes {
		fastest, slowest = max(fastest, writes[minute]), min(slowest, writes[minute])
	}
	if time.Duration(fastest)*shortestBeat(c.Pass) > time.Minute+time.Minute/20 {
		return false
	}
	return c.Key.Resource == leases || !brief && 10*(fastest-slowest) <= max(10, fastest)
}

// steadyAround reports whether an object is written at the pace of a heartbeat in the minutes
// before and after some that are hot: most differ from their median by a quarter
// at most. In a log of many hours other keys make some minute of a lock look twice as busy.
func (c *census) steadyAround(object uint64, hot []int64) bool {
	const around = 10 // minutes on either side
	var counts []int
	for n := range int64(around) {
		for _, minute := range []int64{hot[0] - 1 - n, hot[len(hot)-1] + 1 + n} {
			if minute > minuteOf(c.Facts.Span.First) && minute < minuteOf(c.Facts.Span.Last) {
				counts = append(counts, c.writesIn(object, minute))
			}
		}
	}
	if len(counts) < around {
		return false
	}
	slices.Sort(counts)
	median := counts[len(counts)/2]
	steady := 0
	for _, n := range counts {
		if n >= median-median/4 && n <= median+median/4 {
			steady++
		}
	}
	return median > 0 && 2*steady > len(counts) && time.Duration(median)*shortestBeat(c.Pass) <= time.Minute+time.Minute/20
}

var leases = audit.Intern("leases")
