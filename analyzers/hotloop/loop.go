package hotloop

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
)

// The kinds of loops: details.kind.
const (
	kindConflicts = "conflicts" // one client, in vain
	kindTurns     = "turns"     // two that undo each other's work
	kindWrites    = "writes"    // many writes, whoever makes them
	kindRequests  = "requests"  // one client that reads and writes without a pause
	kindMany      = "many"      // one client, many objects
)

// A loop is an object's, or a client's, of the kind that tells most of it.
type loop struct {
	kind    string
	items   []item // in order of time
	sum     sum    // of all requests of the hot stretches, kept or not
	marks   []analysis.Mark
	counted bool // by the minute: the items are some of those of the loop
	atLeast bool // turns were counted by the second: there were more
	measure measure
	wide    bool // a large set: each object's turn comes slowly
}

// loopOf makes a loop of stretches in which each request is an item.
func (l limits) loopOf(kind string, stretches []stretch) *loop {
	found := &loop{kind: kind, items: joined(stretches), measure: l.measure}
	sortItems(found.items)
	found.sum = total(found.items)
	for _, s := range stretches {
		found.marks = append(found.marks, s.mark())
	}
	return found
}

// writer returns who makes the loop's writes, if it is one.
func (l *loop) writer() (writer, bool) {
	writers := byWriter(writesOf(l.items))
	if len(writers) != 1 {
		return writer{}, false
	}
	return writers[0].key, true
}

// join makes one loop of those that a client makes on many objects, all of one
// measure.
func join(p *analysis.Pass, loops []*loop) []*loop {
	if len(loops) < max(2, p.Int(optManyObjects)) {
		return loops
	}
	all := &loop{kind: kindMany, measure: loops[0].measure}
	for _, l := range loops {
		all.items = append(all.items, l.items...)
		all.sum.plus(l.sum)
		all.marks = append(all.marks, l.marks...)
		all.counted = all.counted || l.counted
	}
	sortItems(all.items)
	return []*loop{all}
}

// objectsOf returns what the loops are about.
func objectsOf(loops []*loop) map[uint64]bool {
	about := map[uint64]bool{}
	for _, l := range loops {
		for i := range l.items {
			about[l.items[i].object] = true
		}
	}
	return about
}

// within reports whether a loop is about known objects only.
func (l *loop) within(known map[uint64]bool) bool {
	return !slices.ContainsFunc(l.items, func(i item) bool { return !known[i.object] })
}

// isFaint reports whether there is less of a loop than the options ask for. Any
// other loop on the same object tells more.
func isFaint(l *loop) bool { return l.measure == faint }
