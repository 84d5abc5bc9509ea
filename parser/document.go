package parser

import (
	"io"
)

// A documentCutter cuts a stream of JSON that is not one value a line:
// pretty-printed objects one after another, an array, or an EventList. Its
// records are the objects, or the items of the array or list, each with its
// own offset and line; it never holds more than one of them and a chunk.
type documentCutter struct {
	r      io.Reader
	opts   Options
	offset int64 // of the chunk
	lines  int64 // newlines read since the chunk's beginning
	read   int64 // bytes read since the chunk's beginning
	block  []byte
	err    error

	// Where the scanner stands in the JSON.
	depth    int // of brackets
	items    int // the depth at which records stand
	inString bool
	escaped  bool
	// isItems is set after the key "items" of a top-level object, until what
	// follows it is known.
	isItems bool
	text    []byte // the last string at depth 1, to tell the key "items"

	tail bool // what follows the items of a list

	open   bool // a record has begun
	scalar bool // and it is no object: it ends at a comma
	passed bool // and it is too long: what it holds is dropped
	record span
}

func (d *documentCutter) next(c *Chunk) error {
	c.reset(d.offset)
	c.document = true
	c.Data = c.buf[:0]
	d.lines, d.read = 0, 0
	for {
		if len(d.block) == 0 {
			if d.err != nil {
				return d.finish(c)
			}
			buf := make([]byte, 0, d.opts.ChunkSize)
			d.block, d.err = fill(d.r, buf, d.opts.ChunkSize)
			continue
		}
		n, cut := d.scan(d.block, c)
		d.block = d.block[n:]
		if cut && len(c.Data) >= d.opts.ChunkSize {
			d.close(c)
			return nil
		}
	}
}

// finish hands out what is left at the end of the stream: a record that has
// begun is cut off, and the decoder will say so.
func (d *documentCutter) finish(c *Chunk) error {
	if d.open {
		d.end(c)
	}
	if d.read == 0 {
		return d.err
	}
	d.close(c)
	return nil
}

// close makes c whole.
func (d *documentCutter) close(c *Chunk) {
	c.buf = c.Data
	c.lines, c.bytes = d.lines, d.read
	d.offset += d.read
}

// scan reads b through the end of a record, or all of it, and returns how much
// that was, and whether a record ended there.
func (d *documentCutter) scan(b []byte, c *Chunk) (n int, cut bool) {
	for i, ch := range b {
		if d.open && d.scalar && !d.inString && isDelimiter(ch) {
			d.end(c)
			d.read += int64(i)
			return i, true
		}
		closed := d.step(ch, d.offset+d.read+int64(i), c)
		if ch == '\n' {
			d.lines++
		}
		if d.open {
			d.keep(ch, c)
		}
		if d.open && closed && d.depth == d.items {
			d.end(c)
			d.read += int64(i + 1)
			return i + 1, true
		}
	}
	d.read += int64(len(b))
	return len(b), false
}

func isDelimiter(ch byte) bool {
	switch ch {
	case ',', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// keep adds a byte to the record, unless it grows too long.
func (d *documentCutter) keep(ch byte, c *Chunk) {
	if d.passed {
		return
	}
	c.Data = append(c.Data, ch)
	if len(c.Data)-d.record.start > d.opts.MaxLine {
		d.passed = true
		c.Data = c.Data[:d.record.start]
	}
}

// begin opens a record at an offset of the part.
func (d *documentCutter) begin(offset int64, c *Chunk) {
	d.open, d.passed = true, false
	d.record = span{start: len(c.Data), offset: offset, line: int(d.lines)}
}

// end closes the record.
func (d *documentCutter) end(c *Chunk) {
	d.open = false
	if d.passed {
		c.oversized = append(c.oversized, d.record)
		return
	}
	d.record.end = len(c.Data)
	c.spans = append(c.spans, d.record)
}

// step takes the scanner over one byte at an offset of the part. It reports
// whether the byte closed a bracket.
func (d *documentCutter) step(ch byte, offset int64, c *Chunk) (closed bool) {
	if d.inString {
		d.stepString(ch)
		return false
	}
	switch ch {
	case ' ', '\t', '\r', '\n', ',', 0:
		return false
	case ':':
		d.isItems = d.depth == 1 && d.items == 0 && string(d.text) == "items"
		return false
	case ']', '}':
		d.closeBracket()
		return true
	}
	if ch == '[' && d.enterList(c) {
		return false
	}
	d.isItems = false
	if !d.open && !d.tail && d.depth == d.items {
		d.begin(offset, c)
		d.scalar = ch != '{' && ch != '['
	}
	switch ch {
	case '{', '[':
		d.depth++
	case '"':
		d.inString, d.text = true, d.text[:0]
	}
	return false
}

func (d *documentCutter) stepString(ch byte) {
	switch {
	case d.escaped:
		d.escaped = false
	case ch == '\\':
		d.escaped = true
	case ch == '"':
		d.inString = false
	case len(d.text) <= len("items"):
		d.text = append(d.text, ch)
	}
}

// enterList reports whether a [ begins the elements of a top-level array, or
// the items of a list, which are the records then.
func (d *documentCutter) enterList(c *Chunk) bool {
	switch {
	case d.depth == 0 && !d.open:
		d.depth, d.items = 1, 1
		return true
	case d.isItems && d.open:
		// What came before the items of a list is no record.
		d.open, d.isItems = false, false
		c.Data = c.Data[:d.record.start]
		d.depth, d.items = 2, 2
		return true
	}
	return false
}

// closeBracket follows a closing bracket. After the last item of a list comes
// its tail, which is no record.
func (d *documentCutter) closeBracket() {
	d.depth = max(d.depth-1, 0)
	switch {
	case d.open:
	case d.items == 2 && d.depth == 1:
		d.tail = true
	case d.depth == 0:
		d.items, d.tail = 0, false
	}
}
