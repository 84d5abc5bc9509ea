package hotloop

import "github.com/kaudit/kaudit/audit"

// restless looks for clients that read and write an object without a rest for a minute,
// where at least a sixth of the requests are writes. It leaves out objects of other loops.
func (c *census) restless(others []*loop) (loops []*loop) {
	least, known := c.perMinute(max(2, c.Int(optRequests)), c.Duration(optSpell)), objectsOf(others)
	requests := func(object uint64, w writer, minute int64) (writes, reads int) {
		writes = c.writesBy(w, object, minute)
		if reads = c.readsBy(w.user, object, minute); reads == 0 || 6*writes < reads+writes {
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
			minutes, written := pace.hot(1, least), course{}
			for _, minute := range minutes {
				writes, reads := requests(object, w, minute)
				all.plus(sum{writes: writes, reads: reads})
				written[minute] = writes
			}
			if len(minutes) == 0 || all.mayRenew(c.Key.Resource) && c.heartbeat(written, minutes) {
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
