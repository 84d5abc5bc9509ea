package parser

import (
	"bytes"
	"io"
)

// A cutter cuts a stream into chunks of whole lines or whole records. It is
// for one goroutine at a time.
type cutter interface {
	// next fills c, except for Log, Part and Index. It returns io.EOF after
	// the last chunk, and another error if the stream broke: what was readable
	// has been handed out before.
	next(c *Chunk) error
}

// A lineCutter cuts a stream of lines.
type lineCutter struct {
	r      io.Reader
	opts   Options
	offset int64  // of the next chunk
	rest   []byte // the beginning of a line whose end was not read yet
	err    error  // what the stream ended with
	inLong bool   // the stream is inside a line that is too long, which is handed out in pieces

	tracker *tracker // nil unless lines may be cut in pieces
}

func (l *lineCutter) next(c *Chunk) error {
	c.reset(l.offset)
	if cap(c.buf) > 8*l.opts.ChunkSize && len(l.rest) < l.opts.ChunkSize {
		c.buf = nil // don't keep memory that only one very long line needed
	}
	c.grow(len(l.rest)+l.opts.ChunkSize, 0)
	data := append(c.buf[:0], l.rest...)
	l.rest = l.rest[:0]
	if l.tracker != nil {
		l.tracker.reset()
	}
	if l.inLong {
		return l.nextLong(c)
	}
	for searched := 0; ; { // how many bytes of data are known to hold no newline
		if l.err == nil {
			data, l.err = fill(l.r, data, l.opts.ChunkSize)
		}
		if n := l.passNuls(c, data); n > 0 {
			data = data[:copy(data, data[n:])]
			searched = max(searched-n, 0)
		}
		if len(data) == 0 {
			if l.err != nil {
				return l.err
			}
			continue
		}
		end, lines := l.end(data, searched)
		switch {
		case end > 0:
			l.handOut(c, data, end)
			return nil
		case len(data) > l.opts.MaxLine && !lines:
			return l.handOutLong(c, data)
		case !lines:
			searched = len(data)
		}
		if cap(data)-len(data) < l.opts.ChunkSize {
			c.buf = data
			c.grow(min(2*cap(data), max(len(data), l.opts.MaxLine))+l.opts.ChunkSize, len(data))
			data = c.buf[:len(data)]
		}
	}
}

// passNuls counts the NULs that data begins with and returns how many there are.
// A run of them, as copytruncate leaves before a line, may be longer than memory,
// so it is never kept.
func (l *lineCutter) passNuls(c *Chunk, data []byte) int {
	n := len(data) - len(bytes.TrimLeft(data, "\x00"))
	if n > 0 {
		l.offset += int64(n)
		c.Offset = l.offset
		c.bytes += int64(n)
		c.nuls += int64(n)
	}
	return n
}

// handOut makes the first end bytes of data the chunk.
func (l *lineCutter) handOut(c *Chunk, data []byte, end int) {
	l.rest = append(l.rest, data[end:]...)
	l.offset += int64(end)
	c.buf, c.Data, c.maxLine, c.joins = data, data[:end], l.opts.MaxLine, l.tracker != nil
	c.stuck = c.joins && (l.err == nil || end < len(data))
}

// handOutLong makes c report the line that begins with data as too long. With
// Options.Long the line is handed out in pieces, else only its beginning is.
func (l *lineCutter) handOutLong(c *Chunk, data []byte) error {
	c.buf = data
	if !l.opts.Long {
		c.long = bytes.Clone(data[:min(len(data), lookSize)])
		return l.skip(c, int64(len(data)))
	}
	c.oversized = append(c.oversized, span{offset: l.offset})
	c.long, c.goesOn, l.inLong = data, true, true
	c.bytes += int64(len(data))
	l.offset += int64(len(data))
	return nil
}

// end returns where a chunk of data may end, or 0, and whether data holds whole
// lines. The first searched bytes of data hold no newline.
func (l *lineCutter) end(data []byte, searched int) (end int, lines bool) {
	end, lines = l.lastLine(data, searched)
	whole := wholeTraces(data, end)
	switch {
	case whole == end, whole == 0 && l.err != nil:
		return end, lines
	case whole > 0 && l.tracker != nil:
		l.tracker.reset()
		if whole = l.tracker.whole(data[:whole]); whole == 0 && l.err != nil {
			return end, lines
		}
	}
	return whole, true
}

// lastLine returns where the last whole line of data ends, or 0, and whether data
// holds whole lines. If lines may be in pieces, the last piece of each must stand
// before that end.
func (l *lineCutter) lastLine(data []byte, searched int) (end int, lines bool) {
	if l.tracker == nil {
		if end = bytes.LastIndexByte(data[searched:], '\n') + 1; end > 0 {
			return searched + end, true
		}
	} else {
		end, lines = l.tracker.whole(data), l.tracker.at > 0
		if end == 0 && l.tracker.stuck(data) {
			end = l.tracker.at
		}
	}
	if end == 0 && l.err != nil {
		end = len(data)
	}
	return end, lines
}

// nextLong hands out the next piece of a line that is too long. The chunk with
// the last piece counts the line.
func (l *lineCutter) nextLong(c *Chunk) error {
	var data []byte
	if l.err == nil {
		data, l.err = fill(l.r, c.buf[:0], l.opts.ChunkSize)
	}
	i := bytes.IndexByte(data, '\n')
	if l.inLong = i < 0 && l.err == nil; i >= 0 {
		l.rest = append(l.rest, data[i+1:]...)
		data = data[:i+1]
	}
	if !l.inLong {
		c.lines = 1
	}
	c.buf, c.long, c.goesOn = data[:cap(data)], data, l.inLong
	c.bytes = int64(len(data))
	l.offset += int64(len(data))
	return nil
}

// skip passes over the rest of a line that is too long, of which passed bytes were
// read, and makes c report it.
func (l *lineCutter) skip(c *Chunk, passed int64) error {
	for l.err == nil {
		var data []byte
		data, l.err = fill(l.r, c.buf[:0], l.opts.ChunkSize)
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			l.rest = append(l.rest, data[i+1:]...)
			passed += int64(i + 1)
			break
		}
		passed += int64(len(data))
	}
	c.oversized = append(c.oversized, span{offset: l.offset})
	c.lines, c.bytes = 1, c.bytes+passed
	l.offset += passed
	return nil
}

// fill reads until data has grown by size or the stream ends. data must have
// room for it.
func fill(r io.Reader, data []byte, size int) ([]byte, error) {
	for size > 0 {
		n, err := r.Read(data[len(data):min(cap(data), len(data)+size)])
		data = data[:len(data)+n]
		size -= n
		if err != nil {
			return data, err
		}
		if n > 0 && data[len(data)-1] == '\n' {
			return data, nil // of a pipe that is followed, hand on whole lines at once
		}
	}
	return data, nil
}
