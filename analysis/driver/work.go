package driver

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// A work is what was read of a part. It does not grow with the part.
type work struct {
	lines, events, bytes, nuls, outOfOrder int64

	requests, ownLines int64 // of an own log

	skipped     parser.Skipped
	shapes      parser.Shapes // the carriers of the events
	looks       parser.Shapes // the carriers of refused records, and what these look like
	first, last audit.Time    // the earliest and the latest stageTimestamp
	read        runs
}

// add takes in a chunk.
func (w *work) add(c *parser.Chunk, s *parser.ChunkStats) {
	w.lines += s.Lines
	w.bytes += s.Bytes
	w.nuls += s.Nuls
	w.outOfOrder += s.OutOfOrder
	w.requests += s.Requests
	w.ownLines += s.OwnLines
	w.shapes |= s.Shapes
	w.looks |= s.Looks
	for kind, n := range s.Skipped {
		w.skipped[kind] += n
	}
	w.addEvents(s.Events, s.First, s.Last)
	w.outOfOrder += w.read.add(run{from: c.Index, to: c.Index + 1, firstAt: s.FirstAt, lastAt: s.LastAt, empty: s.Events == 0})
}

func (w *work) addEvents(n int64, first, last audit.Time) {
	if n == 0 {
		return
	}
	if w.events == 0 {
		w.first, w.last = first, last
	}
	w.events += n
	w.first, w.last = min(w.first, first), max(w.last, last)
}

// A run is chunks that follow one another.
type run struct {
	from, to        int        // their indexes; to is the one behind the last
	firstAt, lastAt audit.Time // the times of the first and the last event
	empty           bool       // they hold no event
}

// join adds o, which follows r. It returns 1 if o's first event is earlier than the last
// one before, else 0.
func (r *run) join(o *run) (outOfOrder int64) {
	r.to = o.to
	switch {
	case o.empty:
		return 0
	case r.empty:
		r.firstAt, r.empty = o.firstAt, false
	case o.firstAt < r.lastAt:
		outOfOrder = 1
	}
	r.lastAt = o.lastAt
	return outOfOrder
}

// runs are the chunks of a part that were read, in order and in as few runs as possible:
// gaps are only where other workers still read.
type runs []run

// add takes in a chunk, and returns how many more events are now known to be earlier than
// the one before them in another chunk.
func (r *runs) add(chunk run) (outOfOrder int64) {
	all := *r
	i := len(all) // chunks come nearly in order
	for i > 0 && all[i-1].from > chunk.from {
		i--
	}
	all = slices.Insert(all, i, chunk)
	for _, left := range []int{i, i - 1} { // first with the one behind it
		if left >= 0 && left+1 < len(all) && all[left].to == all[left+1].from {
			outOfOrder += all[left].join(&all[left+1])
			all = slices.Delete(all, left+1, left+2)
		}
	}
	*r = all
	return outOfOrder
}

// chunks returns how many chunks there are.
func (r runs) chunks() (n int64) {
	for i := range r {
		n += int64(r[i].to - r[i].from)
	}
	return n
}
