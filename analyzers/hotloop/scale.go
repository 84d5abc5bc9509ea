package hotloop

import (
	"math/bits"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// subScale is how an object's replicas are written alone, as a
// HorizontalPodAutoscaler's controller does. Whoever writes the object writes them,
// too.
var subScale = audit.Intern("scale")

// rescaled looks for a client that scales an object and another that writes the object,
// in turns. A controller that scales writes only what it changes, so that it need not
// matter who else writes the status meanwhile, nor that pods follow.
func (l limits) rescaled(writes []item) (stretches []stretch) {
	writes = slices.DeleteFunc(slices.Clone(writes), func(i item) bool { return !setsReplicas(&i) })
	for len(writes) > 0 {
		n := 1
		for n < len(writes) && answersScale(writes[:n+1]) {
			writes[n].turn = true
			n++
		}
		if run := stretch(writes[:n]); n > l.turns && run.scaledBack() {
			stretches = append(stretches, run)
		}
		writes = writes[n:]
	}
	return stretches
}

// setsReplicas reports whether a write took effect that may have set the replicas.
func setsReplicas(i *item) bool {
	return i.Code() < 300 && (i.Subresource() == subScale || i.Subresource() == (audit.Sym{}))
}

// answersScale reports whether the last of a run's writes belongs to it: one client
// scales, the other does not. One that changed nothing does not.
func answersScale(run []item) bool {
	n := len(run) - 1
	last, before := &run[n], &run[n-1]
	return last.Subresource() != before.Subresource() && last.writer() != before.writer() &&
		(n < 2 || last.writer() == run[n-2].writer()) && last.Began().Sub(before.Began()) <= rest &&
		(last.version == 0 || before.version == 0 || last.version > before.version)
}

// scaledBack reports whether the client that does not scale undoes what the other does:
// it sends the same each time, or, without bodies, both answer promptly.
func (s stretch) scaledBack() bool {
	others := slices.DeleteFunc(slices.Clone(s), func(i item) bool { return i.Subresource() == subScale })
	if others[0].said != 0 {
		return sayAlike(others)
	}
	return s.prompt()
}

// rescaled looks for the same where writes are counted.
func (c *census) rescaled(object uint64, items []item) *loop {
	items = slices.DeleteFunc(slices.Clone(items), func(i item) bool { return !setsReplicas(&i) })
	scales, same := ofPart(items, subScale), ofPart(items, audit.Sym{})
	if len(items) < linesOfMany || len(scales) == 0 {
		return nil
	}
	scaling, others := byWriter(scales), byWriter(same)
	if len(scaling) != 1 || len(others) != 1 || scaling[0].key == others[0].key || stoodStill(items) {
		return nil
	}
	var run rounds
	writes := course{}
	for minute := minuteOf(items[0].Began()); minute <= minuteOf(items[len(items)-1].Began()); minute++ {
		seconds := [2]uint64{
			c.Counts.secondsOf(object, subScale, scaling[0].key, minute),
			c.Counts.secondsOf(object, audit.Sym{}, others[0].key, minute),
		}
		if n := bits.OnesCount64(seconds[0]) + bits.OnesCount64(seconds[1]); n > 0 {
			writes[minute] = n
		}
		run.minute(minute, seconds)
	}
	all := writes.sum(run.minutes)
	if run.turns < max(3, c.Int(optTurns)) || 5*(run.turns+1) < 4*all || same[0].said != 0 && !sayAlike(same) || same[0].said == 0 && !run.prompt() {
		return nil
	}
	return c.loop(kindTurns, items, run.minutes, sum{writes: all, turns: run.turns}, writes)
}

// stoodStill reports whether one of the writes, which are in order of time, is known to
// have changed nothing.
func stoodStill(items []item) bool {
	version := uint64(0)
	for i := range items {
		if v := items[i].version; v != 0 {
			if v <= version {
				return true
			}
			version = v
		}
	}
	return false
}

// ofPart returns the items of one part of an object.
func ofPart(items []item, part audit.Sym) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.Subresource() != part })
}
