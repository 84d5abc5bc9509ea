package parser

import "bytes"

// openQuoted opens a line that holds an event between quotes: a row of a CSV,
// where quotes in a field are doubled, or any text with a JSON string in it.
func (d *Decoder) openQuoted(t *text) bool {
	from := len(d.arena)
	if i := bytes.Index(t.data, []byte(`"{""`)); i >= 0 {
		d.arena, _ = undouble(d.arena, t.data, i+1)
		in := t.holding(d.arena[from:], i)
		in.shapes = in.shapes.with(CSV)
		in.stamp = firstField(t.data)
		d.hold(in)
		return true
	}
	i := bytes.Index(t.data, []byte(`"{\"`))
	if i < 0 {
		return false
	}
	arena, end := unquote(d.arena, t.data, i+1)
	if end < 0 {
		return false
	}
	d.arena = arena
	in := t.holding(arena[from:], i)
	in.shapes = in.shapes.with(Prefix)
	d.hold(in)
	return true
}

// firstField returns the first field of a CSV's row if it is a time.
func firstField(row []byte) []byte {
	row = bytes.TrimPrefix(row, []byte(`"`))
	if n := stampEnd(row); n > 0 {
		return row[:n]
	}
	return nil
}
