package parser

import (
	"bytes"
	"slices"
	"strings"
)

// A CSV may spread an event over columns. Which they are, its first line tells,
// and workers begin at any line: so the part remembers it.

// csvColumns returns the names of the columns of the CSV that a part begins
// with, empty for those that tell nothing of an event; or nil if its rows are
// no events.
func csvColumns(head []byte) []string {
	line, _, ok := bytes.Cut(bytes.TrimPrefix(head, []byte(byteOrderMark)), []byte("\n"))
	if !ok || bytes.IndexByte(line, ',') < 0 || bytes.IndexByte(line, '{') >= 0 {
		return nil
	}
	line = bytes.TrimRight(line, "\r")
	var columns []string
	for i := 0; i >= 0; {
		var name []byte
		name, i = csvField(nil, line, i)
		columns = append(columns, csvColumn(name))
	}
	if has := func(name string) bool { return slices.Contains(columns, name) }; has("AuditId") && has("RequestUri") || has("auditID") && has("stage") && has("user") {
		return columns
	}
	return nil
}

// csvColumn returns the column that a field of the first line names: Azure's
// portal says of times that they are in UTC.
func csvColumn(field []byte) string {
	name := strings.TrimSuffix(strings.TrimSpace(string(field)), " [UTC]")
	_, aks := aksColumns[name]
	_, sls := slsColumns[name]
	if aks || sls || name == "PodName" || name == "__source__" {
		return name
	}
	return ""
}

// csvField appends the field at i, and returns where the next one is, or -1.
func csvField(dst, line []byte, i int) ([]byte, int) {
	if i < len(line) && line[i] == '"' {
		dst, i = undouble(dst, line, i+1)
	}
	n := bytes.IndexByte(line[i:], ',')
	if n < 0 {
		return append(dst, line[i:]...), -1
	}
	return append(dst, line[i:i+n]...), i + n + 1
}

// openColumns opens a row of such a CSV: as an object, whose values are all
// strings.
func (d *Decoder) openColumns(t *text) bool {
	columns := d.chunk.Part.columns
	if columns == nil || t.depth > 0 {
		return false
	}
	var (
		from   = len(d.arena)
		header = true
		open   = byte('{')
	)
	for n, i := 0, 0; i >= 0 && n < len(columns); n++ {
		d.field, i = csvField(d.field[:0], t.data, i)
		if columns[n] == "" || len(d.field) == 0 {
			continue
		}
		header = header && csvColumn(d.field) == columns[n]
		d.arena = append(append(append(d.arena, open, '"'), columns[n]...), `":"`...)
		d.arena = append(appendEscaped(d.arena, d.field), '"')
		open = ','
	}
	if header {
		d.arena = d.arena[:from]
		d.refuse(Foreign, t)
		return true
	}
	d.arena = append(d.arena, '}')
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], 0)
	in.shapes = in.shapes.with(CSV)
	d.hold(in)
	return true
}

// appendEscaped appends what stands for text between the quotes of JSON.
func appendEscaped(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
