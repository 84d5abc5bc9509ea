package driver

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// A chunkRecord is what is kept of a chunk: 100 bytes or so for each 256 KiB,
// to tell lines of files and disorder between chunks when all are read.
type chunkRecord struct {
	part   *parser.Part
	index  int
	offset int64

	lines, events, bytes int64
	skipped              parser.Skipped
	firstAt, lastAt      audit.Time // of the first and last event
	first, last          audit.Time // the earliest and the latest
	outOfOrder           int64

	before int64 // lines of the part before the chunk
}

func newChunkRecord(c *parser.Chunk, s *parser.ChunkStats) chunkRecord {
	return chunkRecord{
		part: c.Part, index: c.Index, offset: c.Offset,
		lines: s.Lines, events: s.Events, bytes: s.Bytes, skipped: s.Skipped,
		firstAt: s.FirstAt, lastAt: s.LastAt, first: s.First, last: s.Last, outOfOrder: s.OutOfOrder,
	}
}

// A lineIndex has the chunks of each part in order, by the part's name.
type lineIndex map[string][]chunkRecord

// newLineIndex orders the chunks of all workers and counts the lines before
// each.
func newLineIndex(workers []*worker) lineIndex {
	index := lineIndex{}
	for _, w := range workers {
		for _, c := range w.chunks {
			index[c.part.Name] = append(index[c.part.Name], c)
		}
	}
	for _, chunks := range index {
		slices.SortFunc(chunks, func(a, b chunkRecord) int { return cmp.Compare(a.index, b.index) })
		var lines int64
		for i := range chunks {
			chunks[i].before = lines
			lines += chunks[i].lines
		}
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
