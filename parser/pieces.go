package parser

import "bytes"

// Container runtimes cut a line at 16 KiB and write the pieces as lines of
// their own; those of the two outputs may alternate. The cutter ends no chunk
// inside a line that was cut, so that the pieces are joined by one worker.

// A piece is the part of a line that was read so far.
type piece struct {
	open  bool
	first text // the first piece; its data is not valid any more
	buf   []byte
}

// join keeps a text that may be a piece, or holds it if it is whole.
func (d *Decoder) join(t text) {
	if !d.chunk.joins || t.depth != 1 {
		t.more, t.maybe = false, false
		d.hold(t)
		return
	}
	anyOpen := d.pieces[stdout].open || d.pieces[stderr].open
	if !anyOpen && !t.more {
		d.hold(t)
		return
	}
	p, first := &d.pieces[t.output], len(d.texts)
	defer d.turn(first)
	if anyOpen && d.recordEnd-d.joined > int64(d.chunk.maxLine) {
		d.giveUpAll(true)
		anyOpen = false
	}
	if t.more = t.more || t.maybe && p.open; !p.open && !t.more {
		d.hold(t)
		return
	}
	if !p.open {
		p.open, p.first, p.buf = true, t, p.buf[:0]
		if !anyOpen {
			d.joined = t.offset
		}
	}
	p.buf = append(p.buf, t.data...)
	if !t.more {
		d.giveUp(p, false)
	}
}

// giveUp holds what there is of a line, of which there is more if it is long.
func (d *Decoder) giveUp(p *piece, long bool) {
	d.fleeting = true
	whole := p.first
	whole.long = long
	whole.data, whole.more, whole.maybe, p.open = p.buf, false, false, false
	d.hold(whole)
}

// giveUpAll holds the lines that a chunk begins and does not end: nothing
// comes after it, or nothing that belongs to them, or they are as long as lines
// may be. It reports false if there are none.
func (d *Decoder) giveUpAll(long bool) bool {
	first := len(d.texts)
	for i := range d.pieces {
		if d.pieces[i].open {
			d.giveUp(&d.pieces[i], long)
			d.pieces[i].buf = nil // another may be opened before this is read
		}
	}
	return len(d.texts) > first
}

// A tracker follows which lines are open in a chunk. What a worker joins must
// be open here too, so both give up at the same line: the first that ends
// further than a line may be long from where one was opened while none was.
type tracker struct {
	maxLine int
	at      int // what was looked at, from the chunk's beginning
	safe    int // the end of the last line behind which no line is open, or those that are, are given up
	open    [outputs]bool
	from    int // where the first of those open began
}

// whole returns the length of the longest beginning of data that ends with a
// line, and inside none that was cut, unless that is given up there. data may
// have grown since the last call.
func (r *tracker) whole(data []byte) int {
	for {
		n := bytes.IndexByte(data[r.at:], '\n')
		if n < 0 {
			return r.safe
		}
		if r.line(data[r.at:r.at+n], r.at) {
			r.safe = r.at
		}
		r.at += n + 1
		if !r.open[stdout] && !r.open[stderr] {
			r.safe = r.at
		}
	}
}

// line takes in the line at a position. It reports whether the lines that are
// open before it are given up.
func (r *tracker) line(line []byte, at int) (gaveUp bool) {
	value, skipped := outputLine(line)
	p, ok := peelOutput(value)
	if !ok {
		return false
	}
	anyOpen := r.open[stdout] || r.open[stderr]
	if anyOpen && at+skipped+len(value)-r.from > r.maxLine {
		r.open, anyOpen, gaveUp = [outputs]bool{}, false, true
	}
	more := p.more || p.maybe && r.open[p.output]
	if more && !anyOpen {
		r.from = at + skipped + p.text
	}
	r.open[p.output] = more
	return gaveUp
}

// stuck reports whether a line was open for so long that it is given up.
func (r *tracker) stuck(data []byte) bool {
	return (r.open[stdout] || r.open[stderr]) && len(data)-r.from > r.maxLine
}

// reset makes r ready for another chunk.
func (r *tracker) reset() { *r = tracker{maxLine: r.maxLine} }

// outputLine returns a line without what does not belong to it, and how much
// was skipped before. A blank at the end of a piece does belong to it.
func outputLine(line []byte) (value []byte, skipped int) {
	value, skipped = trimBlanks(line)
	if len(value) > 0 && value[0] != '{' {
		value = bytes.TrimSuffix(line[skipped:], []byte("\r"))
	}
	return value, skipped
}

// peelOutput peels what a container runtime writes around a line.
func peelOutput(line []byte) (p peeled, ok bool) {
	if len(line) > 0 && line[0] == '{' {
		p, _, ok = peelDocker(line)
		return p, ok
	}
	return peelCRI(line)
}

// tracked reports whether a part that begins with head is written by a
// container runtime.
func tracked(head []byte) bool {
	for {
		line, rest, ok := bytes.Cut(head, []byte("\n"))
		if !ok {
			return false
		}
		value, _ := outputLine(line)
		if _, ok := peelOutput(value); ok {
			return true
		}
		head = rest
	}
}
