package endpointflap

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A cycle is a deletion and the creation that made it good, or several of
// them between the first and the last that are known.
type cycle struct {
	deleted, created *Move
	n                int64
}

// outage is how long the object was gone.
func (c *cycle) outage() time.Duration { return max(0, c.created.To.Sub(c.deleted.To)) }

// A flap is what the moves of one object come to.
type flap struct {
	cycles  []cycle
	open    *Move // the last deletion, if nothing made it good
	total   time.Duration
	sampled bool // some cycles are not known one by one
}

// A walker goes through the moves of one object in order.
type walker struct {
	flap
	excused func(*Move) bool // the deletion has a good reason
	service *History         // whose deletion ends an outage
	pending []*Move
	deletes map[*Move]bool
	seen    bool // a move, so that it is known whether the object is there
}

// walk finds the cycles of a history, and the deletion that it ends with.
// Deletions that are excused make none.
func (h *History) walk(excused func(*Move) bool, service *History) flap {
	w := &walker{excused: excused, service: service, deletes: map[*Move]bool{}}
	for _, c := range h.Cells.All() {
		if !c.whole() {
			w.flush()
			w.block(c)
			continue
		}
		for _, m := range c.Deleted.known() {
			w.deletes[m] = true
		}
		w.pending = append(w.pending, append(c.Deleted.known(), c.Created.known()...)...)
	}
	w.flush()
	if w.open != nil && w.excused(w.open) {
		w.open = nil
	}
	return w.flap
}

// flush goes through moves that are known one by one, in order. If two requests overlapped,
// the one that must have come first does: nothing is deleted that is not there, and nothing
// is created that is.
func (w *walker) flush() {
	moves := w.pending
	slices.SortStableFunc(moves, (*Move).compare)
	for i, m := range moves {
		if i+1 < len(moves) && w.wrong(m) {
			if next := moves[i+1]; !w.wrong(next) && m.overlaps(next) {
				moves[i], moves[i+1] = next, m
				m = next
			}
		}
		w.step(m)
	}
	w.pending = nil
}

// wrong reports whether the move can't come next.
func (w *walker) wrong(m *Move) bool { return w.seen && w.deletes[m] == (w.open != nil) }

// step takes in the next move.
func (w *walker) step(m *Move) {
	w.seen = true
	if w.deletes[m] {
		w.open = m
		return
	}
	if w.open == nil {
		return
	}
	if !w.excused(w.open) && !w.ended(w.open, m) {
		c := cycle{w.open, m, 1}
		w.cycles = append(w.cycles, c)
		w.total += c.outage()
	}
	w.open = nil
}

// ended reports whether the Service was deleted before the object was created again: then
// nobody missed the object.
func (w *walker) ended(del, created *Move) bool {
	return slices.ContainsFunc(w.service.deletions(), func(end *Move) bool {
		return end.From > del.From && end.To < created.From
	})
}

// block goes through a step of which not all moves are known. An object is deleted and
// created in turn, so the counts of moves, and the sums of their times, tell how often it
// was gone, and for how long in all.
func (w *walker) block(c *Cell) {
	w.sampled = true
	deleted, created := c.Deleted, c.Created
	if deleted == nil || created == nil {
		for _, m := range deleted.known() {
			w.deletes[m] = true
			w.step(m)
		}
		for _, m := range created.known() {
			w.step(m)
		}
		return
	}
	back, backSum := created.N, created.Sum
	if created.First.compare(&deleted.First) < 0 {
		w.step(&created.First)
		back, backSum = back-1, backSum-int64(created.First.To)
	}
	gone, goneSum := deleted.N, deleted.Sum
	w.open, w.seen = nil, true
	if last := deleted.last(); last.compare(created.last()) > 0 {
		w.deletes[last] = true
		w.open = last
		gone, goneSum = gone-1, goneSum-int64(last.To)
	}
	n := min(back, gone) - w.service.deletedWithin(deleted.First.From, created.last().To)
	if n <= 0 || w.excused(&deleted.First) {
		return
	}
	w.cycles = append(w.cycles, cycle{&deleted.First, created.last(), n})
	if back == gone && n == gone {
		w.total += max(0, time.Duration(backSum-goneSum)*time.Microsecond)
	}
}

// deletedWithin returns how many deletions were asked for inside [from, to], to within a
// step.
func (h *History) deletedWithin(from, to audit.Time) (n int64) {
	for _, c := range h.Cells.All() {
		if d := c.Deleted; d != nil && d.First.From <= to && d.last().From >= from {
			n += d.N
		}
	}
	return n
}

// count returns how many cycles there were.
func (f *flap) count() int {
	n := int64(0)
	for i := range f.cycles {
		n += f.cycles[i].n
	}
	return int(n)
}

// longest returns the longest outage that is known by itself.
func (f *flap) longest() (longest *cycle) {
	for i := range f.cycles {
		if c := &f.cycles[i]; c.n == 1 && (longest == nil || c.outage() > longest.outage()) {
			longest = c
		}
	}
	return longest
}

// span returns when the first deletion began and the last move was complete.
func (f *flap) span() (first, last audit.Time) {
	if len(f.cycles) > 0 {
		first, last = f.cycles[0].deleted.From, f.cycles[len(f.cycles)-1].created.To
	}
	if f.open != nil {
		if first == 0 {
			first = f.open.From
		}
		last = max(last, f.open.To)
	}
	return first, last
}
