package hotloop

import (
	"math"

	"github.com/kaudit/kaudit/audit"
)

// restless looks for clients that read and write an object without a rest for a minute,
// where at least a sixth of the requests are writes. It leaves out objects of other loops.
func (c *census) restless(others []*loop) (loops []*loop) {
	least, known := c.perMinute(max(2, c.Int(optRequests)), c.Duration(optSpell)), objectsOf(others)
	requests := func(object uint64, w writer, minute int64) (writes, reads int) {
		if reads = c.readsBy(w.user, object, minute); reads == 0 { // as of most objects
			return 0, 0
		}
		if writes = c.writesBy(w, object, minute); 6*writes < reads+writes {
			return 0, 0
		}
		return writes, reads
	}
	objects := byObject(c.writes(func(l *line) bool {
		writes, reads := requests(l.object, l.writer(), minuteOf(l.Began()))
		return c.near(writes+reads, least) && !known[l.object]
	}))
	for _, of := range objects {
		object := of.key
		for _, client := range byWriter(of.items) {
			w := client.key
			var all sum
			pace := c.course(client.items, least, func(minute int64) int {
				writes, reads := requests(object, w, minute)
				return writes + reads
			})
			minutes := pace.hot(1, least)
			for _, minute := range minutes {
				writes, reads := requests(object, w, minute)
				all.plus(sum{writes: writes, reads: reads})
			}
			if len(minutes) == 0 || c.renews(pace, func(minute int64) (writes, reads int) { return requests(object, w, minute) }) {
				continue
			}
			if l := c.loop(kindRequests, client.items, minutes, all, pace); l != nil {
				l.items = append(l.items, c.readsOf(object, w.user, minutes)...)
				loops = append(loops, l)
			}
		}
	}
	return loops
}

// renews reports whether a client may only renew a lock, by all minutes in which it went on
// at half the pace: those in which the reads that chance counts were many prove nothing.
func (c *census) renews(pace course, requests func(minute int64) (writes, reads int)) bool {
	var all sum
	minutes, written := pace.hot(1, 1), course{}
	for _, minute := range minutes {
		writes, reads := requests(minute)
		all.plus(sum{writes: writes, reads: reads})
		written[minute] = writes
	}
	all.reads = leastReads(all.reads)
	return all.mayRenew(c.Key.Resource) && c.heartbeat(written, minutes)
}

// leastReads returns how many reads there were, three standard errors below what is
// estimated: one of oneRead counts, by chance.
func leastReads(estimate int) int {
	const errors = 3
	return max(0, estimate-int(errors*math.Sqrt(float64(estimate*(oneRead-1)))))
}

// readsOf returns the kept reads of an object by a user in some minutes.
func (c *census) readsOf(object uint64, user audit.Sym, minutes []int64) (reads []item) {
	for i := range c.Reads.lines {
		if l := &c.Reads.lines[i]; l.object == object && l.Actor() == user {
			reads = append(reads, item{line: l, read: true})
		}
	}
	sortItems(reads)
	return during(reads, minutes)
}
