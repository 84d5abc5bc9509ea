package parser

import "bytes"

// openCSV opens a row of a CSV that has an event in a field, where quotes are
// doubled: the first of its objects that speaks of audit, or the first.
func (d *Decoder) openCSV(t *text) bool {
	i := -1
	for at := 0; ; {
		next := bytes.Index(t.data[at:], []byte(`"{""`))
		if next < 0 {
			break
		}
		next += at
		from := len(d.arena)
		d.arena, at = undouble(d.arena, t.data, next+1)
		audit := bytes.Contains(d.arena[from:], []byte(`"auditID"`))
		if d.arena = d.arena[:from]; audit || i < 0 {
			i = next
		}
		if audit {
			break
		}
	}
	if i < 0 {
		return false
	}
	from := len(d.arena)
	d.arena, _ = undouble(d.arena, t.data, i+1)
	in := t.holding(d.arena[from:], i)
	in.shapes = in.shapes.with(CSV)
	in.stamp = firstField(t.data)
	d.hold(in)
	return true
}

// openQuoted opens a line with JSON texts in it that begin as objects.
func (d *Decoder) openQuoted(t *text) bool {
	first := len(d.texts)
	for at := 0; at < len(t.data); {
		i := bytes.Index(t.data[at:], []byte(`"{\"`))
		if i < 0 {
			break
		}
		from := len(d.arena)
		arena, end := unquote(d.arena, t.data, at+i+1)
		if end < 0 {
			break
		}
		d.arena = arena
		in := t.holding(arena[from:], at+i)
		in.shapes = in.shapes.with(Prefix)
		d.hold(in)
		at = end
		if i = bytes.IndexByte(t.data[at:], '"'); i >= 0 && skipString(t.data, at+i+1) < 0 {
			d.refuse(Truncated, t) // the next text
		}
	}
	d.turn(first)
	return len(d.texts) > first
}

// firstField returns the first field of a CSV's row if it is a time.
func firstField(row []byte) []byte {
	row = bytes.TrimPrefix(row, []byte(`"`))
	if n := stampEnd(row); n > 0 {
		return row[:n]
	}
	return nil
}
