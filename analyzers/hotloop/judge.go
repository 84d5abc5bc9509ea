package hotloop

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// seen looks for loops where every write is kept, then for those that are half
// as long in a log that holds nothing but the loop, then for all that are half as
// long, then for those that the log ends in. reads are nil if some are not.
func seen(p *analysis.Pass, writes, reads *Sample) (loops []*loop) {
	all := items(writes, reads)
	for _, l := range []limits{limitsOf(p), limitsOf(p).brief(), limitsOf(p).half()} {
		known := objectsOf(loops)
		all = slices.DeleteFunc(all, func(i item) bool { return known[i.object] })
		found := l.loops(all)
		if l.measure != faint {
			found = append(found, l.large(all, found)...)
		}
		for _, found := range found {
			switch {
			case (l.measure != whole || found.wide) && isFollower(p) && found.kind != kindConflicts:
			case l.measure == brief && !fills(p, found):
			default:
				loops = append(loops, found)
			}
		}
	}
	known := objectsOf(loops)
	all = slices.DeleteFunc(all, func(i item) bool { return known[i.object] })
	return append(loops, limitsOf(p).third().endless(p, all)...)
}

// fills reports whether a loop takes up four fifths of the log's time: it may have
// begun before the log, and go on after it.
func fills(p *analysis.Pass, l *loop) bool {
	span := p.Facts.Chosen()
	return 5*timeOf(l.marks) >= 4*span.Len()
}

// endless looks for clients that read and write one object without a rest when the
// log ends, which can't tell how long they go on.
func (l limits) endless(p *analysis.Pass, all []item) (loops []*loop) {
	end := p.Facts.Chosen().Last
	for _, o := range byObject(all) {
		kind, stretches := l.restless(o.items)
		stretches = slices.DeleteFunc(stretches, func(s stretch) bool { return end.Sub(s[len(s)-1].Began()) > time.Second })
		if len(stretches) > 0 && !isFollower(p) {
			found := l.loopOf(kind, stretches)
			found.measure = faint
			loops = append(loops, found)
		}
	}
	return loops
}

// loops looks for loops on single objects, and for clients that rewrite others.
func (l limits) loops(all []item) (loops []*loop) {
	for _, o := range byObject(all) {
		if len(o.items) < l.least() {
			continue
		}
		for _, try := range []func([]item) (string, []stretch){l.inVain, l.inTurns, l.busy, l.restless} {
			if kind, stretches := try(o.items); len(stretches) > 0 {
				loops = append(loops, l.loopOf(kind, stretches))
				break
			}
		}
	}
	return append(loops, l.sets(all, loops)...)
}

// inVain looks for a client whose writes conflict as a rule, or one after the
// other at any pace.
func (l limits) inVain(items []item) (string, []stretch) {
	var all []stretch
	for _, client := range byWriter(writesOf(items)) {
		found := hot(client.items, l.window, func(s *sum) bool {
			return s.conflicts >= l.conflicts && 2*s.conflicts >= s.writes
		})
		if len(found) == 0 {
			found = neverRight(client.items, l.conflicts)
		}
		all = append(all, found...)
	}
	return kindConflicts, all
}

// inTurns looks for clients that write the same part of the object in turns:
// most writes follow one of the other.
func (l limits) inTurns(items []item) (string, []stretch) {
	var all []stretch
	for _, part := range deal(writesOf(items), func(i *item) audit.Sym { return i.Subresource() }) {
		writes := part.items
		for n := 1; n < len(writes); n++ {
			writes[n].turn = writes[n].writer() != writes[n-1].writer()
		}
		found := hot(writes, l.window, func(s *sum) bool {
			return s.turns >= l.turns && float64(s.turns) >= l.inTurn*float64(s.writes)
		})
		all = append(all, slices.DeleteFunc(found, l.twoRhythms)...)
	}
	if len(all) == 0 {
		all = append(l.undoing(writesOf(items)), l.rescaled(writesOf(items))...)
	}
	return kindTurns, all
}

// twoRhythms reports whether writes are of two clients that keep a rhythm of their
// own each: they take turns as their periods have it.
func (l limits) twoRhythms(s stretch) bool {
	writers := byWriter(s)
	if len(writers) != 2 {
		return false
	}
	one, two := writers[0].items, writers[1].items
	return apart(len(one), len(two)) && heartbeat(one, l.heartbeat) && heartbeat(two, l.heartbeat)
}

// busy looks for many writes, but for those of steady heartbeats.
func (l limits) busy(items []item) (string, []stretch) {
	writes := l.restlessly(writesOf(items))
	return kindWrites, hot(writes, l.window, func(s *sum) bool { return s.writes >= l.writes })
}

// restlessly leaves out the writes of clients to whom those to one object are a
// heartbeat.
func (l limits) restlessly(writes []item) []item {
	type beat struct {
		writer
		object uint64
	}
	beatOf := func(i *item) beat { return beat{i.writer(), i.object} }
	steady := map[beat]bool{}
	for _, b := range deal(writes, beatOf) {
		steady[b.key] = heartbeat(b.items, l.heartbeat)
	}
	return slices.DeleteFunc(writes, func(i item) bool { return steady[beatOf(&i)] })
}

// beats is how many writes a rhythm takes.
const beats = 10

// heartbeat reports whether the writes keep a steady period, of shortest or
// longer: nine pauses of ten are within a quarter of their median.
func heartbeat(writes []item, shortest time.Duration) bool {
	if len(writes) < beats {
		return false
	}
	pauses := make([]time.Duration, 0, len(writes)-1)
	for n := 1; n < len(writes); n++ {
		pauses = append(pauses, writes[n].Began().Sub(writes[n-1].Began()))
	}
	slices.Sort(pauses)
	median := pauses[len(pauses)/2]
	steady := 0
	for _, pause := range pauses {
		if pause >= median-median/4 && pause <= median+median/4 {
			steady++
		}
	}
	return median >= shortest && 10*steady >= 9*len(pauses)
}

// restless looks for a client that reads the object and writes it without a
// rest: a sixth of the requests or more are writes. Few of them may renew a lock
// that keeps no rhythm. If none is a read, it is writes that are hot; of a brief
// loop busy counts these, since half a loop of writes may be what follows a change.
func (l limits) restless(items []item) (kind string, all []stretch) {
	for _, client := range byWriter(items) {
		theirs := client.items
		if total(theirs).mayRenew(l.resource) && (l.measure == faint || heartbeat(writesOf(theirs), l.heartbeat)) {
			continue
		}
		all = append(all, hot(theirs, l.spell, func(s *sum) bool {
			return s.writes+s.reads >= l.requests && 6*s.writes >= s.writes+s.reads && (l.measure != brief || s.reads > 0)
		})...)
	}
	if len(all) > 0 && total(joined(all)).reads == 0 {
		return kindWrites, all
	}
	return kindRequests, all
}
