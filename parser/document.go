package parser

import (
	"bytes"
	"io"
)

// A documentCutter cuts a stream of JSON that is not one value a line:
// pretty-printed objects one after another, an array, or an EventList. Its
// records are the objects, or the items of the array or list, each with its
// own offset and line. It holds a chunk and one record at most.
//
// Where the JSON breaks off, what was begun is handed on as it is, for the
// decoder to refuse, and the next line that begins as a record is one.
type documentCutter struct {
	r      io.Reader
	opts   Options
	offset int64 // of the next chunk
	rest   []byte
	err    error // what the stream ended with

	walker  walker
	at      int   // how far the chunk's data was walked
	counted int   // how far its lines were counted
	lines   int64 // how many they were
	midLine bool  // the chunk before ended inside a line
	passed  bool  // the open record is too long: it was counted, and is handed out piece by piece
	given   int   // up to where

	pending []span // records that the chunk before left to the next one

	lost loss
	from int // where what is refused began; -1 if that was too long: it is handed out as passed is

	headed bool // the open record has a line of text above it, at head, that is of it
	head   int
}

// A loss says what is sought after the JSON broke off.
type loss uint8

const (
	none     loss = iota
	ofRecord      // the next line that begins as one
	ofText        // the next line: what broke off was no record
)

func (d *documentCutter) next(c *Chunk) error {
	c.reset(d.offset)
	c.document = true
	c.grow(len(d.rest)+d.opts.ChunkSize, 0)
	c.Data = append(c.buf[:0], d.rest...)
	d.rest, d.lines, d.counted = d.rest[:0], 0, 0
	c.spans, d.pending = append(c.spans, d.pending...), d.pending[:0]
	for {
		if d.err == nil {
			c.Data, d.err = fill(d.r, c.Data, d.opts.ChunkSize)
		}
		d.cut(c)
		if d.err != nil {
			return d.finish(c)
		}
		if end := d.wholeTraces(c, d.kept()); end > 0 {
			d.handOver(c, end)
			return nil
		}
		c.buf = c.Data
		c.grow(2*len(c.Data)+d.opts.ChunkSize, len(c.Data))
		c.Data = c.buf[:len(c.Data)]
	}
}

// cut walks through the data and notes its records.
func (d *documentCutter) cut(c *Chunk) {
	w := &d.walker
	for d.lost == none || d.find(c) {
		var s stop
		d.at, s = w.walk(c.Data, d.at)
		switch {
		case s == broken:
			d.lose(c)
		case s == recordEnd && d.passed:
			d.give(c, d.at, false)
			d.passed = false
		case s == recordEnd:
			d.note(c, d.begun(), d.at)
			d.headed = false
		default:
			switch {
			case d.passed:
				d.give(c, d.at, true)
			case w.open && d.at-w.start > d.opts.MaxLine:
				d.noteLong(c, d.begun())
				d.passed = true
			}
			return
		}
	}
}

// begun returns where the open record begins.
func (d *documentCutter) begun() int {
	if d.headed {
		return d.head
	}
	return d.walker.start
}

// lose gives up the open record, or the text that is none, and stands where
// the search for the next one begins.
func (d *documentCutter) lose(c *Chunk) {
	w := &d.walker
	switch {
	case !w.open:
		d.lost, d.from = ofText, d.at
	case d.passed:
		d.lost, d.from = ofRecord, -1
	case d.at-w.start > d.opts.MaxLine:
		d.noteLong(c, d.begun())
		d.lost, d.from = ofRecord, -1
	default:
		d.lost, d.from, d.at = ofRecord, d.begun(), w.start
	}
	d.passed, d.headed = false, false
	w.reset()
}

// find looks for the line that ends a loss. It reports false if the data ends
// before.
func (d *documentCutter) find(c *Chunk) bool {
	for {
		i := bytes.IndexByte(c.Data[d.at:], '\n')
		if i < 0 {
			d.at = len(c.Data)
			d.passLost(c)
			return false
		}
		d.at += i
		if d.lost == ofRecord {
			next := bytes.TrimLeft(c.Data[d.at:], blanks+"\n")
			if len(next) == 0 {
				d.passLost(c)
				return false // how the line begins is not known yet
			}
			if next[0] != '{' && next[0] != '[' {
				d.at = len(c.Data) - len(next)
				continue
			}
		}
		if d.lost == ofText && d.from >= 0 {
			if d.at+1 == len(c.Data) && d.err == nil {
				return false // what stands below is not known yet
			}
			d.headed = d.at+1 < len(c.Data) && c.Data[d.at+1] == '{' && isHead(c.Data[d.from:d.at])
			d.head = d.from
		}
		switch {
		case d.from < 0:
			d.give(c, d.at, false)
		case !d.headed:
			d.note(c, d.from, d.at)
		}
		d.at++
		d.lost = none
		return true
	}
}

// passLost counts what is lost as too long, if it is.
func (d *documentCutter) passLost(c *Chunk) {
	switch {
	case d.from < 0:
		d.give(c, d.at, true)
	case d.at-d.from > d.opts.MaxLine:
		d.noteLong(c, d.from)
		d.from = -1
	}
}

// finish hands out what is left at the end of the stream.
func (d *documentCutter) finish(c *Chunk) error {
	end := len(c.Data)
	switch w := &d.walker; {
	case d.inLong():
		d.give(c, end, false)
	case d.lost != none:
		d.note(c, d.from, end)
	case w.open:
		d.note(c, d.begun(), end)
	case len(w.frames) > 0:
		d.noteUnclosed(c, end)
	}
	d.lost, d.at, d.headed, d.passed = none, end, false, false
	d.walker.reset()
	if end == 0 && !d.midLine && len(c.unclosed) == 0 {
		return d.err
	}
	d.handOver(c, end)
	if d.midLine {
		c.lines++ // the last line has no end
		d.midLine = false
	}
	return nil
}

// kept returns where the data begins that the next chunk needs.
func (d *documentCutter) kept() int {
	switch {
	case d.inLong():
		return d.given
	case d.lost != none:
		return d.from
	case d.walker.open:
		return d.begun()
	}
	return d.at
}

// inLong reports whether what is being read was counted as too long.
func (d *documentCutter) inLong() bool { return d.passed || d.lost != none && d.from < 0 }

// wholeTraces returns up to where the data before end may be handed out without
// cutting what stands within traceWindow behind the record of a panic: end
// itself, or where that begins. Its records from there on are left to the next
// chunk.
func (d *documentCutter) wholeTraces(c *Chunk, end int) int {
	i := len(c.spans)
	for i > 0 && end-c.spans[i-1].start < traceWindow {
		i--
	}
	for ; i < len(c.spans); i++ {
		s := c.spans[i]
		if s.long || s.rest || !beginsTrace(c.Data[s.start:s.end]) {
			continue
		}
		if s.start > 0 {
			d.pending = append(d.pending, c.spans[i:]...)
			c.spans = c.spans[:i]
		}
		return s.start
	}
	return end
}

// handOver makes c a chunk of the data before end.
func (d *documentCutter) handOver(c *Chunk, end int) {
	d.count(c, end)
	c.lines, c.bytes = d.lines, int64(end)
	for i := range d.pending {
		s := &d.pending[i]
		if i == 0 {
			c.lines = int64(s.line)
		}
		s.start, s.end, s.line = s.start-end, s.end-end, s.line-int(c.lines)
	}
	d.rest = append(d.rest, c.Data[end:]...)
	if end > 0 {
		d.midLine = c.Data[end-1] != '\n'
		d.walker.rebase(end, d.midLine)
	}
	d.offset += int64(end)
	d.at -= end
	d.given -= end
	if d.from >= 0 {
		d.from -= end
	}
	d.head -= end
	c.buf, c.Data = c.Data, c.Data[:end]
}

// note notes a record, which is refused if it is too long.
func (d *documentCutter) note(c *Chunk, start, end int) {
	d.count(c, start)
	c.spans = append(c.spans, span{
		start: start, end: end, offset: d.offset + int64(start), line: int(d.lines), long: end-start > d.opts.MaxLine,
	})
}

// noteLong notes the beginning of what is too long. As of each of its pieces but
// the last one, a byte is kept: who writes them ends the last with a line.
func (d *documentCutter) noteLong(c *Chunk, start int) {
	d.given = d.at - 1
	d.note(c, start, d.given)
	s := &c.spans[len(c.spans)-1]
	s.long, s.goesOn = true, true
}

// give hands out more of what is too long, up to where it ends or where the
// data does.
func (d *documentCutter) give(c *Chunk, end int, goesOn bool) {
	if goesOn {
		end--
	}
	if end > d.given {
		d.count(c, d.given)
		c.spans = append(c.spans, span{start: d.given, end: end, offset: d.offset + int64(d.given), line: int(d.lines), rest: true, goesOn: goesOn})
		d.given = end
	}
}

// noteUnclosed notes that the data ends in a list, behind a whole record: in
// its last line.
func (d *documentCutter) noteUnclosed(c *Chunk, end int) {
	d.count(c, end)
	s := span{offset: d.offset + int64(end), line: int(d.lines)}
	if end == 0 && !d.midLine || end > 0 && c.Data[end-1] == '\n' {
		s.line--
	}
	c.unclosed = append(c.unclosed, s)
}

// count counts the lines before a position.
func (d *documentCutter) count(c *Chunk, to int) {
	if to > d.counted {
		d.lines += int64(bytes.Count(c.Data[d.counted:to], []byte("\n")))
		d.counted = to
	}
}
