package parser

import "bytes"

// A Chunk is a run of whole records of one part. A worker owns it until it
// asks for the next one.
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
	long      []byte    // how the last one begins, or with Options.Long, what stands in the part of it or of that of a chunk before
	goesOn    bool      // the next chunk has more of that
	unclosed  []span    // where the part ended in a list, behind a whole record
	heads     []csvHead // what names the columns of its lines
	before    int64     // lines of the part before the chunk
	lines     int64     // newlines that a chunk with spans or oversized ones covers
	bytes     int64     // what such a chunk covers of the part
	nuls      int64     // NUL bytes that stood before Data
	joins     bool      // no line that was cut in pieces goes on behind Data
	stuck     bool      // the lines that are open at the end of Data are as long as lines may be
	document  bool      // the records are the spans, not the lines of Data
	maxLine   int       // lines of Data may be longer where a chunk has room for them

	buf []byte // the room that Data is a part of
}

// reset empties c and keeps its room.
func (c *Chunk) reset(offset int64) {
	*c = Chunk{Offset: offset, buf: c.buf, spans: c.spans[:0], oversized: c.oversized[:0], unclosed: c.unclosed[:0], heads: c.heads[:0]}
}

// allLines returns how many lines there are from the beginning of the chunk to
// that of the next: as many as a Decoder counts. Counting them once more takes a
// hundredth of the time of decoding them, and then a line need not be told by
// its chunk: what was kept of chunks for that grew with the log.
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

// grow gives c room for n bytes and keeps the first of them. It gives an eighth
// more, or each line that is the longest so far would take new room for the
// chunk that its beginning is in.
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
