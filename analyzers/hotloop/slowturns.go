package hotloop

import (
	"math/bits"
	"slices"
	"time"
)

// slowTurns looks for two clients that undo each other's work at a pace of their own
// where writes are counted: see limits.undoing, which has the same rules. In which
// seconds each of the two wrote is known, and that nobody else did, by how many
// writes there were; that each write changed the object, and what the two sent, of
// the lines that are kept.
func (c *census) slowTurns(others []*loop) (loops []*loop) {
	known, kept := objectsOf(others), map[uint64]int{}
	done := func(l *line) bool { return l.Code() < 300 && !known[l.object] }
	for i := range c.Writes.lines {
		if l := &c.Writes.lines[i]; done(l) {
			kept[l.object]++
		}
	}
	objects := byObject(c.writes(func(l *line) bool { return kept[l.object] >= linesOfMany && done(l) }))
	for _, of := range objects {
		object, items := of.key, of.items
		if l := c.rescaled(object, items); l != nil {
			loops = append(loops, l)
			continue
		}
		if !changing(items) || !oneByOne(items) {
			continue
		}
		if l := c.slowTurnsOf(object, items); l != nil {
			loops = append(loops, l)
		}
	}
	return loops
}

// changing reports whether the object had another version after each of the writes,
// which are in order of time.
func changing(items []item) bool {
	for n := range items {
		if items[n].version == 0 || n > 0 && items[n].version <= items[n-1].version {
			return false
		}
	}
	return true
}

// oneByOne reports whether two clients made the writes, of one part.
func oneByOne(items []item) bool {
	return len(byWriter(items)) == 2 && every(items, func(l *line) bool { return l.Subresource() == items[0].Subresource() })
}

func (c *census) slowTurnsOf(object uint64, items []item) *loop {
	part, pair := items[0].Subresource(), byWriter(items)
	first, last := minuteOf(items[0].Began()), minuteOf(items[len(items)-1].Began())
	var run rounds
	writes, counted := course{}, 0
	for minute := first; minute <= last; minute++ {
		var seconds [2]uint64
		for i, w := range pair {
			seconds[i] = c.Counts.secondsOf(object, part, w.key, minute)
		}
		if n := bits.OnesCount64(seconds[0]) + bits.OnesCount64(seconds[1]); n > 0 {
			writes[minute] = n
			counted += c.writesIn(object, minute)
		}
		run.minute(minute, seconds)
	}
	n := run.turns + 1
	all := writes.sum(run.minutes)
	if run.turns < max(3, c.Int(optTurns)) || 5*n < 4*all || 4*counted > 5*all || apart(run.wrote[0], run.wrote[1]) || !run.undoes(pair[0].items, pair[1].items, isFollower(c.Pass)) {
		return nil
	}
	return c.loop(kindTurns, items, run.minutes, sum{writes: all, turns: run.turns}, writes)
}

// rounds are who of two wrote after whom, by the second.
type rounds struct {
	minutes []int64 // in which there was a write
	turns   int
	wrote   [2]int             // how often each of the two
	pauses  [2][]time.Duration // until each of the two wrote after the other
	before  int                // who wrote last
	at      int64              // when, in seconds; 0 if nobody did
}

// minute goes through a minute, given the seconds in which each of the two wrote.
// In a second in which both did, the one that is next comes first.
func (r *rounds) minute(minute int64, seconds [2]uint64) {
	if seconds[0]|seconds[1] != 0 {
		r.minutes = append(r.minutes, minute)
	}
	for second := range int64(60) {
		for _, who := range []int{1 - r.before, r.before} {
			if seconds[who]>>second&1 != 0 {
				r.write(who, minute*60+second)
			}
		}
	}
}

func (r *rounds) write(who int, at int64) {
	r.wrote[who]++
	if r.at != 0 && who != r.before {
		r.turns++
		r.pauses[who] = append(r.pauses[who], time.Duration(at-r.at)*time.Second)
	}
	r.before, r.at = who, at
}

// undoes reports whether the two undo each other's work, as stretch.undoes does.
func (r *rounds) undoes(one, two []item, follower bool) bool {
	longest := answer
	if said := one[0].said; said != 0 && two[0].said != 0 && said != two[0].said {
		if !sayAlike(one) || !sayAlike(two) {
			return false
		}
		longest, follower = rest, false
	}
	return !follower && r.within(longest)
}

// prompt reports whether each of the two answers the other soon, as a rule.
func (r *rounds) prompt() bool { return r.within(answer) }

// within reports whether each of the two writes so soon after the other, as a rule.
func (r *rounds) within(longest time.Duration) bool {
	for _, p := range r.pauses {
		if slices.Sort(p); len(p) == 0 || p[len(p)/2] > longest {
			return false
		}
	}
	return true
}

// sayAlike reports whether all of the writes ask for the same.
func sayAlike(items []item) bool {
	return every(items, func(l *line) bool { return l.said == items[0].said })
}
