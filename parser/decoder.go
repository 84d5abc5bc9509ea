package parser

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// A Decoder turns the records of chunks into events, one at a time:
//
//	d.Reset(&chunk)
//	for d.Next() {
//		observe(d.Event())
//	}
//	stats := d.Stats()
//
// The zero Decoder is ready for use. It is for one goroutine, and decodes
// without allocating once it has seen the names that recur in the log.
type Decoder struct {
	Strict bool // decode with Kubernetes' own types only, which is slow
	// OwnLog makes Next also return what it reads in API servers' and
	// kubelets' own logs: events whose Origin is not OriginAudit.
	OwnLog bool

	// Only, if not 0, is the set of accepted carriers: an event that came
	// in none of them is refused as foreign.
	Only Shapes

	// Refuse, if set, is called with each record that is refused.
	Refuse func(Refusal)

	events eventDecoder
	syms   audit.Syms
	event  *audit.Event // being decoded; one of slots
	slots  [batchSize]audit.Event
	stats  ChunkStats

	chunk *Chunk
	pos   int // of the next line in the chunk's data
	line  int
	span  int // the next of the chunk's spans
	heads int // index of the current head of a CSV

	handed      int   // up to where the chunk's lines, or spans, were handed to Refuse
	tooLong     bool  // the record is longer than allowed
	goesOn      bool  // and what is at hand is only its beginning
	recordStart int64 // where the line of the record begins
	recordEnd   int64 // where the record ends, with blanks behind its value

	unwrapper
	label label
	own   ownReader
}

// An entry is a record with its place: a line, or one value of a document.
type entry struct {
	data   []byte
	offset int64
	line   int
}

// Reset makes d decode c, which must not be changed meanwhile.
func (d *Decoder) Reset(c *Chunk) {
	if d.events == nil {
		d.events = newEventDecoder(d.Strict)
	}
	d.chunk, d.pos, d.line, d.span, d.heads, d.handed, d.goesOn = c, 0, 0, 0, 0, 0, false
	d.own.written = c.Part.lastWrite()
	d.own.before.reset()
	d.start(c)
	d.stats = ChunkStats{Lines: c.lines, Bytes: c.bytes, Nuls: c.nuls, Refused: d.stats.Refused[:0]}
	for i, s := range c.oversized {
		t := text{entry: entry{offset: s.offset, line: s.line}}
		if i == len(c.oversized)-1 {
			t.data = c.long
		}
		d.refuse(Oversize, &t)
	}
	if len(c.oversized) == 0 && len(c.long) > 0 && d.Refuse != nil {
		d.Refuse(Refusal{Refused: Refused{Kind: Oversize, Offset: c.Offset, Line: int(c.before)}, Raw: c.long, More: c.goesOn})
	}
	for _, s := range c.unclosed {
		d.refuse(Truncated, &text{entry: entry{offset: s.offset, line: s.line}})
	}
}

// batchSize is how many events are decoded before they are looked at: enough that
// workers seldom wait for the states that they share, and few enough to stay in
// the processor's cache.
const batchSize = 512

// Event returns the event that Next has decoded. It is valid until the next
// call of Next.
func (d *Decoder) Event() *audit.Event { return d.event }

// Batch decodes the next few events and returns them; none at the end of the
// chunk. They are valid until the next call.
func (d *Decoder) Batch() []audit.Event {
	d.release()
	n, most := 0, len(d.arena)+maxArena // a record that the last batch left unfinished may hold maxArena already
	for n < batchSize && (n == 0 || !d.fleeting && len(d.arena) < most) {
		if d.event = &d.slots[n]; !d.next() {
			break
		}
		n++
	}
	return d.slots[:n]
}

// Stats returns what the chunk was found to hold so far.
func (d *Decoder) Stats() ChunkStats { return d.stats }

// Next decodes the next event. It reports false at the end of the chunk.
// Records that are no events are counted.
func (d *Decoder) Next() bool {
	d.release()
	d.event = &d.slots[0]
	return d.next()
}

// release lets what events point into be used again.
func (d *Decoder) release() {
	d.unwrapper.release()
	d.events.release()
}

func (d *Decoder) next() bool {
	for {
		if d.nextReady() {
			return true
		}
		if n := len(d.texts); n > 0 {
			t := d.texts[n-1]
			d.texts = d.texts[:n-1]
			if d.read(&t) {
				return true
			}
			continue
		}
		r, ok := d.record()
		switch {
		case !ok:
			if d.giveUpAll(d.chunk.stuck) {
				continue
			}
			if d.endTrace(); len(d.own.ready) == 0 {
				return false
			}
		case d.tooLong:
			d.endTrace()
			d.refuse(Oversize, &text{entry: r})
		case len(r.data) > 0:
			if d.own.open && beginsTrace(r.data) {
				d.endTrace()
			}
			if d.read(&text{entry: r}) {
				return true
			}
		}
	}
}

// record returns the next record, without what does not belong to its value.
func (d *Decoder) record() (entry, bool) {
	if d.chunk.document {
		return d.value()
	}
	return d.nextLine()
}

// nextLine returns what stands on the next line.
func (d *Decoder) nextLine() (entry, bool) {
	c := d.chunk
	if d.pos >= len(c.Data) {
		return entry{}, false
	}
	line, size := c.Data[d.pos:], len(c.Data)-d.pos
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, size = line[:i], i+1
	}
	// The cutter measures a line that does not fit a chunk with its blanks, but
	// without NULs. Lines that fit one must be measured in the same way.
	d.tooLong = c.maxLine > 0 && len(line) > c.maxLine && len(bytes.TrimLeft(line, "\x00")) > c.maxLine
	trim := trimBlanks
	if c.joins {
		trim = outputLine
	}
	value, skipped := trim(line)
	if d.pos == 0 || len(value) < len(line) {
		d.countNuls(line, value, skipped, size > len(line))
	}
	r := entry{value, c.Offset + int64(d.pos+skipped), d.line}
	d.recordStart, d.recordEnd = c.Offset+int64(d.pos), r.offset+int64(len(value))
	d.pos += size
	d.line++
	d.stats.Lines++
	d.stats.Bytes += int64(size)
	return r, true
}

// countNuls counts the NULs around the value of a line: they tell of lines that
// were lost. NULs behind the last line, without a newline, do not count, nor do
// those of UTF-16 and of lengths that journalctl writes before values.
func (d *Decoder) countNuls(line, value []byte, skipped int, ended bool) {
	switch wide := len(value) > 1 && (value[1] == 0 || value[0] == 0xff && value[1] == 0xfe); {
	case d.pos == 0 && (wide || d.chunk.nuls == lengthRest):
		d.stats.Nuls -= d.chunk.nuls // the cutter takes them for NULs of copytruncate
	case wide, skipped == lengthRest && len(value) > 0:
	case len(value) > 0 || ended:
		d.stats.Nuls += nuls(line[:skipped]) + nuls(line[skipped+len(value):])
	}
}

// value returns the next record of a document.
func (d *Decoder) value() (entry, bool) {
	for c := d.chunk; d.span < len(c.spans); {
		s := c.spans[d.span]
		d.span++
		r := entry{c.Data[s.start:s.end], s.offset, s.line}
		if !s.rest {
			d.tooLong, d.goesOn = s.long, s.goesOn
			d.recordStart, d.recordEnd = s.offset, s.offset+int64(s.end-s.start)
			return r, true
		}
		if d.Refuse != nil {
			d.Refuse(Refusal{Refused: Refused{Kind: Oversize, Offset: s.offset, Line: int(c.before) + s.line}, Raw: r.data, More: s.goesOn})
		}
	}
	return entry{}, false
}

// blanks may stand around a value: spaces, the CR of a CRLF, the NULs that
// copytruncate leaves before it.
const blanks = " \t\r\x00"

// trimBlanks drops blanks on both sides of a line, and a byte order mark at its
// beginning, as files have that were appended to another one. It returns how many
// bytes stood before the value. Most lines have none.
func trimBlanks(line []byte) (value []byte, skipped int) {
	if n := len(line); n == 0 || line[0] == '{' && line[n-1] == '}' {
		return line, 0
	}
	value = bytes.TrimLeft(line, blanks)
	if marked, ok := bytes.CutPrefix(value, []byte(byteOrderMark)); ok {
		value = bytes.TrimLeft(marked, blanks)
	}
	return bytes.TrimRight(value, blanks), len(line) - len(value)
}

// nuls counts the NUL bytes of a margin.
func nuls(margin []byte) int64 { return int64(bytes.Count(margin, []byte{0})) }

// decode decodes a text into the event.
func (d *Decoder) decode(t *text) verdict {
	v := d.events.decode(t.data, d.event, &d.syms)
	if v == decoded && d.Only != 0 && !d.allowed(t) {
		return foreign
	}
	if v == decoded {
		d.place(t)
	}
	return v
}

// allowed reports whether one of the carriers that are asked for brought t.
func (d *Decoder) allowed(t *text) bool {
	if t.shapes == 0 {
		return d.Only.Has(Plain)
	}
	return d.Only&t.shapes != 0
}

// locate tells the event where it stands, and bounds the texts that states may
// keep of it.
func (d *Decoder) locate(t *text) {
	e, c := d.event, d.chunk
	e.Name, e.ObjectRV, e.AuditID = audit.Bound(e.Name), audit.Bound(e.ObjectRV), audit.Bound(e.AuditID)
	e.Source, e.Log = c.Part.Name, c.Log.Name
	e.Offset, e.Line = t.offset, int(c.before)+t.line
	if t.depth > 0 {
		d.carried(t)
	}
}

// place says where the audit event stands and counts it.
func (d *Decoder) place(t *text) {
	d.locate(t)
	e, s := d.event, &d.stats
	if s.Shapes |= t.shapes; t.shapes == 0 {
		s.Shapes = s.Shapes.with(Plain)
	}
	if s.Events == 0 {
		s.FirstAt, s.First, s.Last = e.At, e.At, e.At
	} else if e.At < s.LastAt {
		s.OutOfOrder++
	}
	s.Events++
	s.LastAt = e.At
	s.First, s.Last = min(s.First, e.At), max(s.Last, e.At)
}

// carried gives the event what its carriers say: the log's label, and whether they
// kept one time only.
func (d *Decoder) carried(t *text) {
	if len(t.label) > 0 {
		d.event.Log = d.label.log(d.chunk.Log.Name, t.label)
	}
	if t.oneTime {
		undate(d.event)
	}
}
