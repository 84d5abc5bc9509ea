package hotloop

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// refusedAnew reports whether a write answered 409 was refused for the version
// it was made of. A create is refused because the object is there, which is all
// that a client that makes sure of it wants.
func (l *line) refusedAnew() bool { return l.Code() == 409 && l.Verb() != audit.VerbCreate.String() }

// neverRight looks for so many conflicts of a client in a row, however slowly
// they follow one another, without one write that took effect between: who reads
// again after a conflict is right the next time. writes are the client's, of one
// object.
func neverRight(writes []item, least int) (stretches []stretch) {
	for len(writes) > 0 {
		n := 0
		for n < len(writes) && writes[n].refusedAnew() {
			n++
		}
		if n >= least {
			stretches = append(stretches, writes[:n])
		}
		writes = writes[min(len(writes), n+1):]
	}
	return stretches
}

// neverRight looks for the same where conflicts are counted: a client whose
// writes of the object conflict and, as far as is known, never take effect in
// those minutes. One minute of four may seem to have one that did, since what is
// counted is nearly right; who is right the next time is so in nearly all.
func (c *census) neverRight(object uint64, items []item) *loop {
	if !slices.ContainsFunc(items, func(i item) bool { return i.refusedAnew() }) {
		return nil
	}
	least := max(2, c.Int(optConflicts))
	for _, client := range byWriter(c.writes(func(l *line) bool { return l.object == object })) {
		w, theirs := client.key, client.items
		if !every(theirs, (*line).refusedAnew) {
			continue
		}
		conflicts := c.conflictsOf(object, w.user, theirs)
		minutes, right := conflicts.hot(1, 1), 0
		for _, minute := range minutes {
			if slices.ContainsFunc(c.partsOf(object), func(part audit.Sym) bool { return c.Counts.secondsOf(object, part, w, minute) != 0 }) {
				right++
			}
		}
		n := max(conflicts.sum(minutes), c.standFor(theirs))
		if n < least || 4*right > len(minutes) {
			continue
		}
		if l := c.loop(kindConflicts, theirs, minutes, sum{writes: n, conflicts: n}, conflicts); l != nil {
			return l
		}
	}
	return nil
}

// conflictsOf returns a user's conflicts in the minutes of those that are kept,
// and around them: as many as are kept, or as are counted.
func (c *census) conflictsOf(object uint64, user audit.Sym, kept []item) course {
	const any = 2
	conflicts := c.course(kept, any, func(minute int64) int { return c.count(conflictsOfClient, object, user, minute) })
	known := course{}
	for i := range kept {
		known[minuteOf(kept[i].Began())]++
	}
	for minute, n := range known {
		conflicts[minute] = max(conflicts[minute], n)
	}
	return conflicts
}

// standFor returns how many conflicts those that are kept stand for, if they are
// enough to tell.
func (c *census) standFor(kept []item) int {
	if len(kept) < linesOfMany {
		return 0
	}
	return int(float64(len(kept)) / min(1, c.kept()*(1<<conflictShift)))
}

func every(items []item, is func(*line) bool) bool {
	for i := range items {
		if !is(items[i].line) {
			return false
		}
	}
	return true
}
