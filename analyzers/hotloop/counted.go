package hotloop

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A census looks for loops where not all requests are kept: those that are tell
// objects and clients, and the counts of these objects tell their pace in the
// minutes around.
type census struct {
	*analysis.Pass
	*State
	usual int                    // what other keys add to a count, as a rule
	parts map[uint64][]audit.Sym // of objects: see partsOf
}

func (s *State) census(p *analysis.Pass) *census {
	return &census{Pass: p, State: s, usual: s.Counts.usual()}
}

// writes returns the writes that are kept, in order of time, for which is
// returns true. It is asked first, since most lines are of no use.
func (c *census) writes(is func(*line) bool) (found []item) {
	for i := range c.Writes.lines {
		if l := &c.Writes.lines[i]; is(l) {
			found = append(found, item{line: l})
		}
	}
	sortItems(found)
	return found
}

// loops looks for loops in which writes are hot.
func (c *census) loops() (loops []*loop) {
	least := max(2, min(c.Int(optWrites), c.Int(optTurns)))
	objects := byObject(c.writes(func(l *line) bool {
		return l.Code() == 409 || c.near(c.writesIn(l.object, minuteOf(l.Began())), least)
	}))
	for _, o := range objects.keys {
		for _, try := range []func(uint64, []item) *loop{c.inVain, c.neverRight, c.inTurns, c.busy} {
			if l := try(o, objects.of[o]); l != nil {
				loops = append(loops, l)
				break
			}
		}
	}
	return loops
}

// near reports whether n a minute are half the pace of least in a window.
func (c *census) near(n, least int) bool { return 2*n*c.minutes() >= least }

// minutes returns the number of minutes in a window, to be counted together.
func (c *census) minutes() int { return max(1, int(c.Duration(optWindow)/time.Minute)) }

func (c *census) count(counter counter, object uint64, user audit.Sym, minute int64) int {
	return max(0, c.Counts.get(key(counter, object, user, minute))-c.usual)
}

func (c *census) writesIn(object uint64, minute int64) int {
	return c.count(writesOfObject, object, audit.Sym{}, minute)
}

// writesBy returns how many of an object's writes in a minute one client made,
// as far as is known: those that are kept tell what parts there are, and of each
// it is known in which seconds the client wrote it with success. An object that is
// written all the time may be so by others.
func (c *census) writesBy(w writer, object uint64, minute int64) (n int) {
	for _, part := range c.partsOf(object) {
		n += bits.OnesCount64(c.Counts.secondsOf(object, part, w, minute))
	}
	return min(n, c.writesIn(object, minute))
}

// partsOf returns the parts of an object that writes which are kept are of.
func (c *census) partsOf(object uint64) []audit.Sym {
	if c.parts == nil {
		c.parts = map[uint64][]audit.Sym{}
		for i := range c.Writes.lines {
			if l := &c.Writes.lines[i]; !slices.Contains(c.parts[l.object], l.Subresource()) {
				c.parts[l.object] = append(c.parts[l.object], l.Subresource())
			}
		}
	}
	return c.parts[object]
}

// A course is how many there were in some minutes.
type course map[int64]int

// course counts in the minutes of the items, and before and after them for as
// long as the pace is half of what is looked for and the log goes on.
func (c *census) course(items []item, least int, count func(minute int64) int) course {
	found, span := course{}, c.Facts.Span
	first, last := minuteOf(span.First)-1, minuteOf(span.Last) // what was received before may be logged later
	for i := range items {
		from := minuteOf(items[i].Began())
		for _, step := range []int64{-1, 1} {
			for minute := from; minute == from || first <= minute && minute <= last; minute += step {
				if _, known := found[minute]; known && minute != from {
					break
				}
				n := count(minute)
				found[minute] = n
				if !c.near(n, least) {
					break
				}
			}
		}
	}
	return found
}

// hot returns the minutes, in order, that lie in a window with at least so many.
func (c course) hot(window, least int) (minutes []int64) {
	return c.windows(window, func(minutes []int64) bool { return c.sum(minutes) >= least })
}

// windows returns the minutes, in order, that lie in a window of which is
// returns true, and have any.
func (c course) windows(window int, is func(minutes []int64) bool) []int64 {
	hot, minutes := map[int64]bool{}, make([]int64, window)
	for _, first := range slices.Sorted(maps.Keys(c)) {
		for i := range minutes {
			minutes[i] = first + int64(i)
		}
		if !is(minutes) {
			continue
		}
		for _, minute := range minutes {
			if c[minute] > 0 {
				hot[minute] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(hot))
}

func (c course) sum(minutes []int64) (n int) {
	for _, minute := range minutes {
		n += c[minute]
	}
	return n
}

// during returns the items of these minutes.
func during(items []item, minutes []int64) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool {
		_, found := slices.BinarySearch(minutes, minuteOf(i.Began()))
		return !found
	})
}

// loop makes a loop of what was counted, or nil if no line that is kept proves it.
func (c *census) loop(kind string, items []item, minutes []int64, sum sum, writes course) *loop {
	l := &loop{kind: kind, items: during(items, minutes), sum: sum, counted: true}
	if len(l.items) == 0 {
		return nil
	}
	for _, minute := range minutes {
		l.marks = append(l.marks, c.mark(minute, writes[minute]))
	}
	if kind != kindConflicts { // of which some may never have succeeded
		c.trim(l, minutes)
	}
	return l
}

// trim leaves out of a loop's first minute what comes before the first second in
// which its writers are known to have written with success, and of its last minute
// what comes after the last one.
func (c *census) trim(l *loop, minutes []int64) {
	first, last := &l.marks[0], &l.marks[len(l.marks)-1]
	at := func(minute int64, second int) audit.Time {
		return audit.Time(minute * time.Minute.Microseconds()).Add(time.Duration(second) * time.Second)
	}
	if seconds := c.wrote(l.items, minutes[0]); seconds != 0 {
		first.From = min(max(first.From, at(minutes[0], bits.TrailingZeros64(seconds))), first.To)
	}
	if seconds := c.wrote(l.items, minutes[len(minutes)-1]); seconds != 0 {
		last.To = max(min(last.To, at(minutes[len(minutes)-1], bits.Len64(seconds))), last.From)
	}
}

// wrote returns the seconds of a minute in which those who wrote items wrote these
// objects.
func (c *census) wrote(items []item, minute int64) (seconds uint64) {
	for i := range items {
		seconds |= c.Counts.secondsOf(items[i].object, items[i].Subresource(), items[i].writer(), minute)
	}
	return seconds
}

// mark marks a minute, as far as the log covers it.
func (c *census) mark(minute int64, n int) analysis.Mark {
	from := audit.Time(minute * time.Minute.Microseconds())
	span := c.Facts.Span
	to := min(max(from+audit.Time(time.Minute.Microseconds()), span.First), span.Last)
	return analysis.Mark{Kind: "loop", From: min(max(from, span.First), to), To: to, N: max(1, n)}
}

// inVain looks for a client whose writes conflict as a rule.
func (c *census) inVain(object uint64, items []item) *loop {
	least := max(2, c.Int(optConflicts))
	clients := deal(items, func(i *item) audit.Sym { return i.Actor() })
	for _, user := range clients.keys {
		theirs := clients.of[user]
		if !slices.ContainsFunc(theirs, func(i item) bool { return i.conflict() }) {
			continue
		}
		conflicts := c.course(theirs, least, func(minute int64) int { return c.count(conflictsOfClient, object, user, minute) })
		minutes := conflicts.hot(c.minutes(), least)
		sum := sum{conflicts: conflicts.sum(minutes)}
		for _, minute := range minutes {
			sum.writes += c.writesIn(object, minute)
		}
		if sum.conflicts == 0 || 2*sum.conflicts < sum.writes {
			continue
		}
		sum.writes = max(sum.writes, sum.conflicts)
		if l := c.loop(kindConflicts, theirs, minutes, sum, conflicts); l != nil {
			return l
		}
	}
	return nil
}

// busy looks for many writes, but for those that may be heartbeats.
func (c *census) busy(object uint64, items []item) *loop {
	least := max(2, c.Int(optWrites))
	writes := c.course(items, least, func(minute int64) int { return c.writesIn(object, minute) })
	minutes := writes.hot(c.minutes(), least)
	if len(minutes) == 0 {
		return nil
	}
	l := c.loop(kindWrites, items, minutes, sum{writes: writes.sum(minutes)}, writes)
	if l == nil {
		return nil
	}
	if c.heartbeats(object, l, writes, minutes) {
		return nil
	}
	kept := total(l.items)
	l.sum.conflicts = l.sum.writes * kept.conflicts / (kept.conflicts + (kept.writes-kept.conflicts)<<conflictShift)
	return l
}

// heartbeats reports whether an object's writes may be those of heartbeats: of one
// writer, or of two at paces of their own.
func (c *census) heartbeats(object uint64, l *loop, writes course, minutes []int64) bool {
	writers := byWriter(writesOf(l.items)).keys
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
			theirs[minute] = c.writesBy(w, object, minute)
		}
		if of[i] = theirs.sum(minutes); !c.heartbeat(theirs, minutes) {
			return false
		}
	}
	return 5*(of[0]+of[1]) >= 4*writes.sum(minutes) && apart(of[0], of[1])
}

// apart reports whether two clients wrote an object at paces of their own: those who
// undo each other's work write as often as each other.
func apart(one, two int) bool { return 10*min(one, two) < 9*max(one, two) }

// heartbeat reports whether a writer's pace may be a heartbeat's: it is never
// faster, within a twentieth, and each minute holds as many, within a tenth or one. In a loop's
// minutes there is now more and now less. What a Lease is written for is a
// heartbeat; what begins and ends within few minutes is none.
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

var leases = audit.Intern("leases")

// restless looks for clients that read an object and write it, without a rest,
// for a minute: a sixth of the requests or more are writes. Objects of other
// loops are left alone.
func (c *census) restless(others []*loop) (loops []*loop) {
	least, known := c.perMinute(max(2, c.Int(optRequests)), c.Duration(optSpell)), objectsOf(others)
	requests := func(object uint64, w writer, minute int64) (writes, reads int) {
		writes = c.writesBy(w, object, minute)
		if reads = oneRead * c.count(readsOfClient, object, w.user, minute); reads == 0 || 6*writes < reads+writes {
			return 0, 0
		}
		return writes, reads
	}
	objects := byObject(c.writes(func(l *line) bool {
		writes, reads := requests(l.object, l.writer(), minuteOf(l.Began()))
		return c.near(writes+reads, least) && !known[l.object]
	}))
	for _, object := range objects.keys {
		clients := byWriter(objects.of[object])
		for _, w := range clients.keys {
			var all sum
			pace := c.course(clients.of[w], least, func(minute int64) int {
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
			if l := c.loop(kindRequests, clients.of[w], minutes, all, pace); l != nil {
				l.items = append(l.items, c.readsOf(object, w.user, minutes)...)
				loops = append(loops, l)
			}
		}
	}
	return loops
}

func (c *census) readsOf(object uint64, user audit.Sym, minutes []int64) (reads []item) {
	for i := range c.Reads.lines {
		if l := &c.Reads.lines[i]; l.object == object && l.Actor() == user {
			reads = append(reads, item{line: l, read: true})
		}
	}
	sortItems(reads)
	return during(reads, minutes)
}

// perMinute returns how many a minute are as fast as n within a time.
func (c *census) perMinute(n int, within time.Duration) int {
	return int(float64(n) * float64(time.Minute) / float64(max(time.Second, within)))
}

// linesOfMany is how many lines tell what share of a client's writes is to
// objects that it writes all the time.
const linesOfMany = 5

// standIn returns, by minute, how many writes those that are kept stand for, where
// they are enough to tell: of a set of objects, some may have none that is kept.
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

// kept returns which share of writes is kept.
func (c *census) kept() float64 { return min(1, math.Ldexp(float64(c.Writes.below), -64)) }

// many looks for clients that rewrite a set of objects over and over: the pace
// of each is a write in each fifth of a burst, or faster.
func (c *census) many(others []*loop) (loops []*loop) {
	pace := c.perMinute(fifths, c.Duration(optBurst))
	return c.sets(others, 1, c.Float(optSame), func(w writer, object uint64, minute int64) int {
		if n := c.writesBy(w, object, minute); n >= pace {
			return n
		}
		return 0
	})
}

// wide looks for clients that rewrite a large set, in which the turn of each object
// comes more slowly, for a window: see limits.wide.
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

// sets looks for clients at the pace of a loop over a set for so many minutes, a
// share of whose writes is to objects that are lively: lively returns how often a
// client wrote one in a minute, or 0.
func (c *census) sets(others []*loop, window int, same float64, livelyIn func(w writer, object uint64, minute int64) int) (loops []*loop) {
	least, known := c.perMinute(max(2, c.Int(optWrites))/2, c.Duration(optBurst)), objectsOf(others)
	clients := byWriter(c.writes(func(l *line) bool {
		return !known[l.object] && livelyIn(l.writer(), l.object, minuteOf(l.Began())) > 0
	}))
	for _, w := range clients.keys {
		lively := clients.of[w]
		objects := byObject(lively).keys
		if len(objects) < max(1, c.Int(optManyObjects)) {
			continue
		}
		met := c.standIn(lively)
		all := c.course(lively, least, func(minute int64) (n int) {
			for _, o := range objects {
				n += livelyIn(w, o, minute)
			}
			return max(n, met[minute])
		})
		minutes := all.hot(window, window*least)
		proofs, kept := during(lively, minutes), during(c.writes(func(l *line) bool {
			return l.Actor() == w.user && l.agent == w.agent && !known[l.object]
		}), minutes)
		if len(kept) >= linesOfMany && float64(len(proofs)) >= same*float64(len(kept)) && len(proofs) > 0 {
			loops = append(loops, c.loop(kindMany, proofs, minutes, sum{writes: all.sum(minutes)}, all))
		}
	}
	return loops
}
