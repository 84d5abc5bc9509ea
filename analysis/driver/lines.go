package driver

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// A work is what was read of a part: counts, and 40 bytes for each chunk of
// 256 KiB, 16 MB for a log of 100 GB. It is the only thing that grows with the
// bytes of a log: lines of a file and disorder between its chunks can be told
// only when the chunks before are read too.
type work struct {
	lines, events, bytes, nuls, outOfOrder int64

	requests, ownLines int64 // of an own log

	skipped     parser.Skipped
	shapes      parser.Shapes // what carried the events
	looks       parser.Shapes // what carried what was refused, and what it looks like
	first, last audit.Time    // the earliest and the latest stageTimestamp
	chunks      []chunkRecord
}

// A chunkRecord is what is kept of a chunk.
type chunkRecord struct {
	offset          int64
	before          int64      // lines of the part before the chunk, once all are read
	firstAt, lastAt audit.Time // of the first and the last event
	lines           uint32
	empty           bool // it holds no event
}

// add takes in a chunk.
func (w *work) add(c *parser.Chunk, s *parser.ChunkStats) {
	w.chunks = append(w.chunks, chunkRecord{
		offset: c.Offset, firstAt: s.FirstAt, lastAt: s.LastAt, lines: uint32(s.Lines), empty: s.Events == 0,
	})
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

// merge takes in what another worker has read of the same part.
func (w *work) merge(o *work) {
	w.lines += o.lines
	w.bytes += o.bytes
	w.nuls += o.nuls
	w.outOfOrder += o.outOfOrder
	w.requests += o.requests
	w.ownLines += o.ownLines
	w.shapes |= o.shapes
	w.looks |= o.looks
	for kind, n := range o.skipped {
		w.skipped[kind] += n
	}
	w.addEvents(o.events, o.first, o.last)
	w.chunks = append(w.chunks, o.chunks...)
}

// settle puts the chunks in order and counts the lines before each.
func (w *work) settle() {
	slices.SortFunc(w.chunks, func(a, b chunkRecord) int { return cmp.Compare(a.offset, b.offset) })
	var lines int64
	for i := range w.chunks {
		w.chunks[i].before = lines
		lines += int64(w.chunks[i].lines)
	}
}

// joinWork joins what the workers have read, by part.
func joinWork(workers []*worker) map[*parser.Part]*work {
	all := map[*parser.Part]*work{}
	for _, w := range workers {
		for part, done := range w.parts {
			if all[part] == nil {
				all[part] = done
			} else {
				all[part].merge(done)
			}
		}
	}
	for _, done := range all {
		done.settle()
	}
	return all
}

// A lineIndex has the chunks of each part, in order, by the part's name.
type lineIndex map[string][]chunkRecord

func newLineIndex(parts map[*parser.Part]*work) lineIndex {
	index := lineIndex{}
	for part, done := range parts {
		index[part.Name] = done.chunks
	}
	return index
}

// line returns the line of a file, from 1, that is the given one, from 0, of
// the chunk at an offset. It is 0 for a chunk that was not read.
func (x lineIndex) line(source string, chunk int64, line int) int {
	chunks := x[source]
	i, ok := slices.BinarySearchFunc(chunks, chunk, func(c chunkRecord, offset int64) int {
		return cmp.Compare(c.offset, offset)
	})
	if !ok {
		return 0
	}
	return int(chunks[i].before) + line + 1
}
