package driver

import (
	"container/heap"
	"maps"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// maxWaiting is how many events may wait for earlier ones that stand behind them in
// their log. Within slack, some thousand events are out of order at worst.
const maxWaiting = 20_000

// A queue merges the lanes and hands their events on in order of time. An event waits
// until none that is earlier can follow: until one came that is later by slack, or
// maxWaiting are waiting. In an archive logs stand one after another, so that an earlier
// event may come at any time: then as many wait as may.
type queue[T any] struct {
	emit     func(*Picked[T]) bool
	streamed *Streamed
	waiting  picks[T]
	newest   audit.Time // the latest time that came
	last     audit.Time // the latest time that was handed on
	count    int        // events that came

	dedupe  bool
	sorts   bool                  // the caller wants order of time; else it serves only to find copies
	endless bool                  // there is an archive: copies may come at any time
	patient bool                  // there is an archive: earlier events may come at any time
	dropped int64                 // copies
	near    map[uint64]audit.Time // hashes of what was handed on within slack, to find copies
	trimAt  int                   // how many of them there may be before old ones are dropped
}

// drain hands on all that the lanes bring. It returns false if emit did.
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

// earliest returns the lane whose next event is the earliest, or nil if all lanes have
// ended.
func earliest[T any](lanes []*lane[T]) (first *lane[T]) {
	for _, l := range lanes {
		if p := l.head(); p != nil && (first == nil || p.At < first.batch[0].At) {
			first = l
		}
	}
	return first
}

// piped is how the names of members of an archive begin that comes through a pipe.
const piped = parser.Stdin + "!"

func (q *queue[T]) push(p Picked[T]) {
	if strings.HasPrefix(p.Source, piped) {
		q.endless, q.patient = true, q.sorts
	}
	q.newest = max(q.newest, p.At)
	heap.Push(&q.waiting, ordered[T]{p, q.count})
	q.count++
}

// settle hands on the events that need not wait any longer.
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

// seen reports whether the same event was handed on before. Copies have the same time,
// so that only events near it need to be remembered, unless there is an archive.
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

// An ordered is a Picked with a number that orders events of the same time.
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

// Pop removes and returns the last element, for container/heap.
func (h *picks[T]) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	(*h)[last] = ordered[T]{}
	*h = (*h)[:last]
	return p
}
