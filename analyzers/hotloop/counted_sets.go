package hotloop

import "math"

// linesOfMany is how many kept writes are enough to tell which share of a client's writes
// goes to objects that it writes all the time.
const linesOfMany = 5

// standIn estimates, by minute, how many writes the kept ones stand for, for minutes with
// enough of them: of the objects of a set, some may have no write that was kept.
func (c *census) standIn(kept []item) map[int64]int {
	lines, stand := map[int64]int{}, map[int64]float64{}
	for i := range kept {
		minute := minuteOf(kept[i].Began())
		lines[minute]++
		stand[minute] += kept[i].weight(true) / c.kept()
	}
	all := map[int64]int{}
	for minute, n := range stand {
		if lines[minute] >= linesOfMany {
			all[minute] = int(n)
		}
	}
	return all
}

// estimate returns how many writes of a set there were in minutes, given its objects, so far
// as a write of them was kept, and the client's kept writes. Of the writes, as large a share
// is of objects that have none kept as of the kept ones is of objects that have one (Good
// and Turing). If that is much, or if the kept ones stand for more than chance would have
// it, since several writes of an object within a second count as one, they tell how many
// there were.
func (c *census) estimate(w writer, objects []group[uint64], kept []item, minutes []int64) course {
	counted, all := course{}, 0
	theirs := map[uint64]int{}
	for _, o := range objects {
		theirs[o.key] = 0
		for _, minute := range minutes {
			n := c.writesBy(w, o.key, minute)
			counted[minute], all = counted[minute]+n, all+n
		}
	}
	lines, stand := 0, 0.0
	for i := range kept {
		if n, of := theirs[kept[i].object]; of {
			theirs[kept[i].object] = n + 1
			lines, stand = lines+1, stand+kept[i].weight(true)/c.kept()
		}
	}
	alone := 0
	for _, n := range theirs {
		if n == 1 {
			alone++
		}
	}
	whole := float64(all) / (1 - float64(alone)/float64(max(lines, alone+1)))
	if chance := 3 / math.Sqrt(float64(max(1, lines))); 5*alone > lines || stand > whole*(1+chance) {
		whole = max(float64(all), stand)
	}
	for minute, n := range counted {
		counted[minute] = int(math.Round(float64(n) * whole / float64(max(1, all))))
	}
	return counted
}

// kept returns the share of writes that was kept.
func (c *census) kept() float64 { return min(1, math.Ldexp(float64(c.Writes.below), -64)) }

// many looks for clients that rewrite a set of objects over and over, each of them at
// least once in each fifth of a burst.
func (c *census) many(others []*loop) (loops []*loop) {
	pace := c.perMinute(fifths, c.Duration(optBurst))
	return c.sets(others, 1, c.Float(optSame), func(w writer, object uint64, minute int64) int {
		if n := c.writesBy(w, object, minute); n >= pace {
			return n
		}
		return 0
	})
}

// wide looks for clients that rewrite a large set over and over, in which the turn of each
// object comes more slowly; see limits.wide.
func (c *census) wide(others []*loop) (loops []*loop) {
	if isFollower(c.Pass) {
		return nil
	}
	for _, l := range c.sets(others, c.minutes(), c.Float(optSame)*wideSame, func(w writer, object uint64, minute int64) int {
		if n := c.writesBy(w, object, minute); n > fifths && c.spread(w, object, minute) >= fifths-1 {
			return n
		}
		return 0
	}) {
		if l.wide = true; fromFew(l.items) {
			loops = append(loops, l)
		}
	}
	return loops
}

// spread returns in how many fifths of a minute a client wrote an object.
func (c *census) spread(w writer, object uint64, minute int64) (n int) {
	const length = 60 / fifths
	var seconds uint64
	for _, part := range c.partsOf(object) {
		seconds |= c.Counts.secondsOf(object, part, w, minute)
	}
	for ; seconds != 0; seconds >>= length {
		if seconds&(1<<length-1) != 0 {
			n++
		}
	}
	return n
}

// sets looks for clients that write at the pace of a loop over a set for window minutes,
// at least a share same of whose writes goes to lively objects. livelyIn returns how often
// a client wrote an object in a minute, or 0 if the object was not lively in it.
func (c *census) sets(others []*loop, window int, same float64, livelyIn func(w writer, object uint64, minute int64) int) (loops []*loop) {
	least, known := c.perMinute(max(2, c.Int(optWrites))/2, c.Duration(optBurst)), objectsOf(others)
	clients := byWriter(c.writes(func(l *line) bool {
		return !known[l.object] && livelyIn(l.writer(), l.object, minuteOf(l.Began())) > 0
	}))
	for _, client := range clients {
		w, lively := client.key, client.items
		objects := byObject(lively)
		if len(objects) < max(1, c.Int(optManyObjects)) {
			continue
		}
		met := c.standIn(lively)
		all := c.course(lively, least, func(minute int64) (n int) {
			for _, o := range objects {
				n += livelyIn(w, o.key, minute)
			}
			return max(n, met[minute])
		})
		minutes := all.hot(window, window*least)
		proofs, kept := during(lively, minutes), during(c.writes(func(l *line) bool {
			return l.Actor() == w.user && l.agent == w.agent && !known[l.object]
		}), minutes)
		if len(kept) >= linesOfMany && float64(len(proofs)) >= same*float64(len(kept)) && len(proofs) > 0 {
			writes := c.estimate(w, byObject(proofs), kept, minutes)
			loops = append(loops, c.loop(kindMany, proofs, minutes, sum{writes: writes.sum(minutes)}, writes))
		}
	}
	return loops
}
