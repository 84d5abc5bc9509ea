package parser

import (
	"bytes"
	"slices"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser/serverlog"
)

// The own log of an API server or kubelet: what is no JSON is read as a line
// of it. Requests of httplog and lines that say what went wrong become events
// of another Origin, for whoever asks for them by Decoder.OwnLog.
//
// The stack of a panic stands on the lines that follow. Those within
// traceWindow belong to it, whoever writes between them, up to the next panic;
// the cutter ends no chunk before that, so that what a worker finds does not
// depend on where chunks end. Where the newest line stands first, as Loki has
// them, the stack stands before its panic, from its end on.

// An ownReader is what a worker remembers of own logs.
type ownReader struct {
	reader  serverlog.Reader
	ready   []audit.Event // complete, and not yet handed out
	open    bool          // a panic whose stack is being read:
	panic   audit.Event
	trace   serverlog.Trace
	label   []byte
	from    int64 // where its line begins
	at      int64 // where it begins in that
	written audit.Time
	before  before
}

// A before is the lines right before the one that is read, of one label, which
// are a stack if what follows is its panic. They are no more than traceWindow.
type before struct {
	lines [][]byte
	size  int
	label []byte
	last  int // the line of the last one
}

func (b *before) reset() { b.lines, b.size = b.lines[:0], 0 }

// add keeps a line. Between two there may be an empty one.
func (b *before) add(t *text) {
	if t.line > b.last+2 || !bytes.Equal(t.label, b.label) || b.size > traceWindow {
		b.reset()
	}
	b.label = append(b.label[:0], t.label...)
	b.lines, b.last = append(b.lines, bytes.Clone(t.data[:min(len(t.data), traceWindow)])), t.line
	b.size += len(t.data)
}

// stack returns the lines that stand before a panic, the nearest first, if they
// are its stack: what was panicked with may stand between.
func (b *before) stack(t *text) [][]byte {
	if t.line > b.last+2 || !bytes.Equal(t.label, b.label) {
		return nil
	}
	slices.Reverse(b.lines)
	for _, line := range b.lines[:min(len(b.lines), 2)] {
		if bytes.HasPrefix(bytes.TrimLeft(line, blanks), []byte("goroutine ")) {
			return b.lines
		}
	}
	return nil
}

// readLine takes a text that is no JSON, when no carrier fits.
func (d *Decoder) readLine(t *text) verdict {
	if d.own.open && d.follows(t) {
		return ownLine
	}
	if line, stack, ok := bytes.Cut(t.data, []byte("\n")); ok && beginsTrace(line) {
		return d.readTrace(t, line, stack)
	}
	kind := serverlog.Unknown
	if serverlog.Likely(t.data) {
		clock := serverlog.Clock{Stamp: t.time(), File: d.own.written}
		d.own.reader.Syms = &d.syms
		kind = d.own.reader.Read(t.data, clock, d.event)
	}
	switch kind {
	case serverlog.Audit:
		return d.takeLegacy(t)
	case serverlog.Torn:
		return truncated
	case serverlog.Unknown:
		return d.passBy(t)
	case serverlog.Request, serverlog.Line:
		if d.OwnLog {
			return d.takeOwn(t, kind)
		}
	}
	return ownLine
}

// takeLegacy takes an audit event in the text form.
func (d *Decoder) takeLegacy(t *text) verdict {
	t.shapes = t.shapes.with(Legacy)
	if d.Only != 0 && !d.allowed(t) {
		return foreign
	}
	d.event.Raw = t.data
	d.place(t)
	return decoded
}

// passBy says what a text is that nobody reads; it may be of a stack.
func (d *Decoder) passBy(t *text) verdict {
	if speaksOfAudit(t.data) {
		return malformed
	}
	if d.own.before.add(t); serverlog.InTrace(t.data) {
		return ownLine
	}
	return foreign
}

// takeOwn takes what a line of an own log tells. A panic is held until its stack
// was read, which may stand before it.
func (d *Decoder) takeOwn(t *text, kind serverlog.Kind) verdict {
	d.event.Raw = t.data
	d.locate(t)
	if kind == serverlog.Request {
		d.stats.Requests++
		return decoded
	}
	d.stats.OwnLines++
	if !hasTrace(d.event) {
		return decoded
	}
	d.beginTrace(t)
	for _, line := range d.own.before.stack(t) {
		if !d.own.trace.Add(line) {
			break
		}
	}
	d.own.before.reset()
	if len(d.own.trace.Frames) > 0 {
		d.endTrace()
	}
	return held
}

// readTrace takes a text that holds the line of a panic and its stack.
func (d *Decoder) readTrace(t *text, line, stack []byte) verdict {
	in := *t
	in.data = bytes.TrimRight(line, blanks)
	v := d.readLine(&in)
	if v != held {
		return v
	}
	for line := range bytes.Lines(stack[:min(len(stack), traceWindow)]) {
		if !d.own.trace.Add(line) {
			break
		}
	}
	d.endTrace()
	return held
}

func hasTrace(e *audit.Event) bool { return e.Reason == audit.LinePanic || e.Reason == audit.LineCrash }

// beginTrace keeps the event until its stack was read.
func (d *Decoder) beginTrace(t *text) {
	d.endTrace()
	own := &d.own
	own.open, own.panic, own.trace, own.from, own.at = true, *d.event, serverlog.Trace{}, d.recordStart, t.offset
	own.label = append(own.label[:0], t.label...)
	for _, view := range []*audit.View{&own.panic.Message, &own.panic.AuditID, &own.panic.URI, &own.panic.Name, &own.panic.Raw} {
		*view = bytes.Clone(*view)
	}
	own.panic.Groups, own.panic.SourceIPs, own.panic.Annotations = nil, nil, nil
}

// follows reports whether a text belongs to the stack that is being read. One
// that ends it does not.
func (d *Decoder) follows(t *text) bool {
	own := &d.own
	if !d.inWindow(t) {
		d.endTrace()
		return false
	}
	if !bytes.Equal(own.label, t.label) {
		return false
	}
	if own.trace.Add(t.data) {
		return true
	}
	d.endTrace()
	return false
}

// inWindow reports whether a text stands within traceWindow behind the line of
// the panic that is open. An answer in one record is whole, however long.
func (d *Decoder) inWindow(t *text) bool {
	if d.recordStart == d.own.from {
		return t.offset-d.own.at <= traceWindow
	}
	return d.recordEnd-d.own.from <= traceWindow
}

// peelSame: the rest of a stack stands behind the same words as the panic's
// line, which are known from that alone.
func (d *Decoder) peelSame(t *text) (p peeled, ok bool) {
	label := d.own.label
	if !d.own.open || len(label) == 0 || !d.inWindow(t) {
		return p, false
	}
	line := t.data
	cutStamp := func() {
		if n := stampEnd(line); n > 0 && n < len(line) && isWordEnd(line[n]) {
			p.stamp, line = line[:n], line[n+1:]
		}
	}
	cutStamp()
	if line, ok = bytes.CutPrefix(line, label); !ok || len(line) < 2 || !isWordEnd(line[0]) && line[0] != ':' {
		return p, false
	}
	line = bytes.TrimLeft(line, ": ")
	cutStamp()
	p.label, p.text = label, len(t.data)-len(line)
	return p, len(line) > 0
}

// endTrace makes the event of a panic ready.
func (d *Decoder) endTrace() {
	own := &d.own
	if !own.open {
		return
	}
	own.open = false
	if len(own.panic.Message) == 0 {
		own.panic.Message = own.trace.Value
	}
	own.panic.Frames = own.trace.Frames
	own.ready = append(own.ready, own.panic)
}

// nextReady puts the next event that is ready in place.
func (d *Decoder) nextReady() bool {
	own := &d.own
	if len(own.ready) == 0 {
		return false
	}
	*d.event = own.ready[0]
	own.ready = slices.Delete(own.ready, 0, 1)
	return true
}
