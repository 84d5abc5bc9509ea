package parser

import "bytes"

// A splunkTable is where an answer of Splunk's as a table has the line, the
// host and the time: columns of it, or -1.
type splunkTable struct{ raw, host, time int }

// splunkFields reads the names of the columns: texts, or objects with a name.
func splunkFields(b []byte) splunkTable {
	table := splunkTable{-1, -1, -1}
	fields, ok := member(b, 0, "fields")
	if !ok || b[fields.start] != '[' {
		return table
	}
	for n, at := range elements(b, fields.start) {
		if b[at.start] == '{' {
			at, _ = member(b, at.start, "name")
		}
		switch string(scalar(b, at)) {
		case "_raw":
			table.raw = n
		case "host":
			table.host = n
		case "_time":
			table.time = n
		}
	}
	return table
}

// openSplunkRows opens an answer as json_rows: an array a row.
func openSplunkRows(d *Decoder, t text, rows place) bool {
	table := splunkFields(t.data)
	if table.raw < 0 || t.data[rows.start] != '[' {
		return false
	}
	for _, row := range elements(t.data, rows.start) {
		if t.data[row.start] != '[' {
			continue
		}
		in, raw := t, place{}
		for n, at := range elements(t.data, row.start) {
			switch n {
			case table.raw:
				raw = at
			case table.host:
				in.label = scalar(t.data, at)
			case table.time:
				in.stamp = scalar(t.data, at)
			}
		}
		d.holdRaw(&in, row, raw)
	}
	return true
}

// openSplunkColumns opens an answer as json_cols: an array a column.
func openSplunkColumns(d *Decoder, t text, columns place) bool {
	table := splunkFields(t.data)
	if table.raw < 0 || t.data[columns.start] != '[' {
		return false
	}
	var of [3][]place
	for n, column := range elements(t.data, columns.start) {
		for i, wanted := range []int{table.raw, table.host, table.time} {
			if n != wanted || t.data[column.start] != '[' {
				continue
			}
			for _, at := range elements(t.data, column.start) {
				of[i] = append(of[i], at)
			}
		}
	}
	for n, raw := range of[0] {
		in := t
		if n < len(of[1]) {
			in.label = scalar(t.data, of[1][n])
		}
		if n < len(of[2]) {
			in.stamp = scalar(t.data, of[2][n])
		}
		d.holdRaw(&in, raw, raw)
	}
	return true
}

// holdRaw holds the line of a row, and refuses a row without one.
func (d *Decoder) holdRaw(t *text, row, raw place) {
	if raw.end == 0 || t.data[raw.start] != '"' {
		in := t.inside(row.start, row.end)
		d.refuse(Foreign, &in)
		return
	}
	d.holdValue(t, raw)
}

// entities are what XML writes for what would mean something in it.
var entities = []struct {
	name string
	char byte
}{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'}, {"&#39;", '\''}}

// openSplunkXML opens a line of an export as XML that has a record:
// <field k='_raw'><v xml:space='preserve' trunc='0'>TEXT</v></field>.
func (d *Decoder) openSplunkXML(t *text) bool {
	if t.data[0] != '<' || !bytes.HasPrefix(t.data, []byte("<field k='_raw'>")) && !bytes.HasPrefix(t.data, []byte(`<field k="_raw">`)) {
		return false
	}
	const field = len("<field k='_raw'>")
	begin := bytes.IndexByte(t.data[field:], '>')
	if begin < 0 {
		return false
	}
	begin += field + 1
	raw, _, _ := bytes.Cut(t.data[begin:], []byte("</v>"))
	if len(raw) == 0 {
		return false
	}
	from := len(d.arena)
	d.arena = appendPlain(d.arena, raw)
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], begin)
	in.shapes = in.shapes.with(Splunk)
	d.hold(in)
	return true
}

// appendPlain appends a text without the entities of XML.
func appendPlain(dst, text []byte) []byte {
next:
	for i := 0; i < len(text); {
		if text[i] == '&' {
			for _, e := range entities {
				if bytes.HasPrefix(text[i:], []byte(e.name)) {
					dst, i = append(dst, e.char), i+len(e.name)
					continue next
				}
			}
		}
		dst, i = append(dst, text[i]), i+1
	}
	return dst
}
