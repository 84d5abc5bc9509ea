package driver

import (
	"container/heap"
	"maps"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// maxWaiting is how many events wait at most for earlier ones that stand
// behind them. Within slack, some thousand events are out of order at worst.
const maxWaiting = 20_000

// A queue hands on what the lanes bring. By time, events wait until all that
// may be earlier has come: slack longer than the newest one, but not more than
// maxWaiting of them. Of an archive, which holds one log after another, as many
// wait as may.
type queue[T any] struct {
	emit     func(*Picked[T]) bool
	streamed *Streamed
	waiting  picks[T]
	newest   audit.Time
	last     audit.Time // of the last one that was handed on
	count    int

	dedupe  bool
	sorts   bool // by time, or else it does so to find copies
	endless bool // a copy may come long after: an archive holds one log after another
	patient bool // an earlier event may, too
	dropped int64
	near    map[uint64]audit.Time // hashes of what was handed on within slack
	trimAt  int                   // how many of them there may be before old ones are dropped
}

// drain hands on all that the lanes bring. It reports false if emit has had
// enough.
func (q *queue[T]) drain(lanes []*lane[T], byTime bool) bool {
	if !byTime {
		for _, l := range lanes {
			for p := l.head(); p != nil; p = l.head() {
				q.streamed.Handed++
				if !q.emit(p) {
					return false
				}
				l.batch = l.batch[1:]
			}
		}
		return true
	}
	for l := earliest(lanes); l != nil; l = earliest(lanes) {
		q.push(l.batch[0])
		l.batch = l.batch[1:]
		if !q.settle() {
			return false
		}
	}
	for len(q.waiting) > 0 {
		if !q.pop() {
			return false
		}
	}
	return true
}

// earliest returns the lane whose next event is the earliest, or nil at the
// end of all.
func earliest[T any](lanes []*lane[T]) (first *lane[T]) {
	for _, l := range lanes {
		if p := l.head(); p != nil && (first == nil || p.At < first.batch[0].At) {
			first = l
		}
	}
	return first
}

// piped begins the names of the logs of an archive that comes through a pipe.
const piped = parser.Stdin + "!"

func (q *queue[T]) push(p Picked[T]) {
	if strings.HasPrefix(p.Source, piped) {
		q.endless, q.patient = true, q.sorts
	}
	q.newest = max(q.newest, p.At)
	heap.Push(&q.waiting, ordered[T]{p, q.count})
	q.count++
}

// settle hands on what needs to wait no longer.
func (q *queue[T]) settle() bool {
	if q.patient && len(q.waiting) > maxWaiting {
		q.streamed.Pressed = true
	}
	for len(q.waiting) > maxWaiting || !q.patient && len(q.waiting) > 0 && q.newest.Sub(q.waiting[0].At) > slack {
		if !q.pop() {
			return false
		}
	}
	return true
}

func (q *queue[T]) pop() bool {
	p := heap.Pop(&q.waiting).(ordered[T])
	if q.dedupe && q.seen(&p.Picked) {
		q.dropped++
		return true
	}
	if p.At < q.last {
		q.streamed.Late++
	}
	q.last = max(q.last, p.At)
	q.streamed.Handed++
	return q.emit(&p.Picked)
}

// seen reports whether the same event was handed on before. Both copies have
// one time, so that only those near it need to be known, but of an archive.
func (q *queue[T]) seen(p *Picked[T]) bool {
	if _, ok := q.near[p.hash]; ok {
		return true
	}
	if q.near == nil {
		q.near = map[uint64]audit.Time{}
	}
	if !q.endless && len(q.near) >= q.trimAt {
		maps.DeleteFunc(q.near, func(_ uint64, at audit.Time) bool { return p.At.Sub(at) > slack })
		q.trimAt = max(maxWaiting, 2*len(q.near))
	}
	q.near[p.hash] = p.At
	return false
}

// An ordered is a Picked with its place among those of one time.
type ordered[T any] struct {
	Picked[T]
	nth int
}

// picks is a heap by time.
type picks[T any] []ordered[T]

func (h picks[T]) Len() int { return len(h) }

func (h picks[T]) Less(i, j int) bool {
	return h[i].At < h[j].At || h[i].At == h[j].At && h[i].nth < h[j].nth
}

func (h picks[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds x, for container/heap.
func (h *picks[T]) Push(x any) { *h = append(*h, x.(ordered[T])) }

// Pop takes the last one, for container/heap.
func (h *picks[T]) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	(*h)[last] = ordered[T]{}
	*h = (*h)[:last]
	return p
}
