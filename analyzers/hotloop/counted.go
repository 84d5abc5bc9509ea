package hotloop

import (
	"math/bits"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A census looks for loops in a log so busy that only a sample of its requests was kept.
// The sample tells which objects and clients there are, and Counts tells how often they
// were written in each minute. Loops of single objects are found here, of an object's
// readers in counted_restless.go, and of sets of objects in counted_sets.go.
type census struct {
	*analysis.Pass
	*State
	usual int                    // by how much counts are too high as a rule; see Counts.usual
	most  int                    // by how much they are at most, plus one; see noise
	parts map[uint64][]audit.Sym // by object; see partsOf
}

func (s *State) census(p *analysis.Pass) *census {
	return &census{Pass: p, State: s, usual: s.Counts.usual()}
}

// writes returns the kept writes for which is reports true, in order of time. It filters
// before it sorts, since most lines are of no use.
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
	for _, o := range objects {
		for _, try := range []func(uint64, []item) *loop{c.inVain, c.neverRight, c.inTurns, c.busy} {
			if l := try(o.key, o.items); l != nil {
				loops = append(loops, l)
				break
			}
		}
	}
	return loops
}

// near reports whether n writes in a minute are at least half the pace of least in a
// window.
func (c *census) near(n, least int) bool { return 2*n*c.minutes() >= least }

// minutes returns how many minutes a window has.
func (c *census) minutes() int { return max(1, int(c.Duration(optWindow)/time.Minute)) }

func (c *census) count(counter counter, object uint64, user audit.Sym, minute int64) int {
	return max(0, c.Counts.get(key(counter, object, user, minute))-c.usual)
}

// noise returns the most that others' keys add to a count.
func (c *census) noise() int {
	if c.most == 0 {
		c.most = c.Counts.most() + 1
	}
	return c.most - 1
}

func (c *census) writesIn(object uint64, minute int64) int {
	return c.count(writesOfObject, object, audit.Sym{}, minute)
}

// readsBy returns how many reads of an object in a minute one user made at least. Since each
// that is counted stands for several, what other keys add would weigh as much, so that the
// most they add is left out.
func (c *census) readsBy(user audit.Sym, object uint64, minute int64) int {
	return oneRead * max(0, c.Counts.get(key(readsOfClient, object, user, minute))-c.noise())
}

// doubtful reports whether other keys may make up what is hot: as a rule they add a quarter
// of the pace or more, or the object is written like a lock before and after.
func (c *census) doubtful(object uint64, hot []int64, least int) bool {
	return 4*c.usual*c.minutes() >= least || c.steadyAround(object, hot)
}

// certain returns how many writes of an object there were at least in the minutes of a
// course.
func (c *census) certain(object uint64, writes course) course {
	least := course{}
	for minute := range writes {
		least[minute] = max(0, c.Counts.get(key(writesOfObject, object, audit.Sym{}, minute))-c.noise())
	}
	return least
}

// writesBy returns how many of an object's writes in a minute one client made, as far as
// is known. If not all writes are kept, those kept tell which parts (subresources) of the
// object are written, and Counts in which seconds the client wrote each of them with success.
func (c *census) writesBy(w writer, object uint64, minute int64) (n int) {
	if c.Writes.whole() {
		for i := range c.Writes.lines {
			if l := &c.Writes.lines[i]; l.object == object && l.writer() == w && minuteOf(l.Began()) == minute {
				n++
			}
		}
		return n
	}
	for _, part := range c.partsOf(object) {
		n += bits.OnesCount64(c.Counts.secondsOf(object, part, w, minute))
	}
	return min(n, c.writesIn(object, minute))
}

// partsOf returns the parts of an object that the kept writes are of.
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

// loop makes a loop of what was counted, or returns nil if no kept request proves it.
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

// trim shortens the marks of a loop's first and last minutes to the first and the last
// second in which its writers are known to have written with success.
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

// wrote returns the seconds of a minute, a bit each, in which the writers of items wrote
// the objects of items.
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

// inVain looks for a client of whose writes at least half conflict.
func (c *census) inVain(object uint64, items []item) *loop {
	least := max(2, c.Int(optConflicts))
	clients := deal(items, func(i *item) audit.Sym { return i.Actor() })
	for _, client := range clients {
		user, theirs := client.key, client.items
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

// busy looks for many writes that can't be heartbeats.
func (c *census) busy(object uint64, items []item) *loop {
	least := max(2, c.Int(optWrites))
	writes := c.course(items, least, func(minute int64) int { return c.writesIn(object, minute) })
	minutes := writes.hot(c.minutes(), least)
	if len(minutes) == 0 || c.doubtful(object, minutes, least) && len(c.certain(object, writes).hot(c.minutes(), least)) == 0 {
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

// perMinute returns how many a minute are the same pace as n within a time.
func (c *census) perMinute(n int, within time.Duration) int {
	return int(float64(n) * float64(time.Minute) / float64(max(time.Second, within)))
}
