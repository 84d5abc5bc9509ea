package parser

import "bytes"

// A Chunk is a run of whole records of one part. The worker that got it owns it
// until it asks for the next one.
type Chunk struct {
	Log    *Log
	Part   *Part
	Index  int   // of the chunk in its part, from 0
	Seq    int   // of the chunk among all that an ordered reader hands out, from 0
	Offset int64 // of the chunk in the part's unwrapped bytes

	// Data holds the records: lines, or where spans is set, what the spans cut
	// out of it.
	Data []byte

	spans     []span
	oversized []span    // lines that were too long; they are not in Data
	long      []byte    // the beginning of the last oversized line; with Options.Long, the next piece of such a line
	goesOn    bool      // the next chunk has the next piece of it
	unclosed  []span    // where the part ended inside a list, behind a whole record
	heads     []csvHead // the lines that name the columns of its rows
	before    int64     // lines of the part before the chunk
	lines     int64     // lines that the chunk covers beside those in Data
	bytes     int64     // bytes that it covers beside those in Data
	nuls      int64     // NUL bytes that stood before Data
	joins     bool      // lines may be in pieces; none of them goes on behind Data
	stuck     bool      // the lines that are in pieces at the end of Data exceed the longest line allowed
	document  bool      // the records are the spans, not the lines of Data
	maxLine   int       // the longest line allowed: Data may hold longer ones that fit the chunk

	buf []byte // the memory that Data is a part of
}

// reset empties c and keeps its memory.
func (c *Chunk) reset(offset int64) {
	*c = Chunk{Offset: offset, buf: c.buf, spans: c.spans[:0], oversized: c.oversized[:0], unclosed: c.unclosed[:0], heads: c.heads[:0]}
}

// allLines returns how many lines there are from the beginning of the chunk to
// the beginning of the next one, as a Decoder counts them. Counting them here
// as well takes a hundredth of the time of decoding, and gives each chunk its
// first line number without a table of chunks that grows with the log.
func (c *Chunk) allLines() int64 {
	if c.document || len(c.Data) == 0 {
		return c.lines
	}
	n := c.lines + int64(bytes.Count(c.Data, newline))
	if c.Data[len(c.Data)-1] != '\n' {
		n++
	}
	return n
}

var newline = []byte("\n")

// grow gives c memory for n bytes and keeps the first of them. It allocates an
// eighth more, so that not every line that is the longest so far makes it
// allocate anew.
func (c *Chunk) grow(n, keep int) {
	if cap(c.buf) < n {
		buf := make([]byte, keep, n+n/8)
		copy(buf, c.buf[:keep])
		c.buf = buf
	}
}

// A span is a record of a document that runs over several lines.
type span struct {
	start, end int   // in Data
	offset     int64 // in the part
	line       int   // from the beginning of the chunk

	long   bool // it is too long, and this is how it begins
	rest   bool // it is more of the one that is too long
	goesOn bool // the next one has more of it
}
