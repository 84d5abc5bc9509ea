package parser

import (
	"bytes"
	"slices"
	"strings"
)

// A CSV may spread an event over columns. Their names stand on a line above: the
// first one, one below a title or a hint for spreadsheets, or one in the middle of
// joined exports. Since workers begin at any line, the stream looks for these
// lines and each chunk holds those that concern its rows.

// A csvHead is a line that names the columns of the rows below it.
type csvHead struct {
	offset int64    // of the line
	names  []string // of the columns; empty for those that hold no field of an event
	comma  byte     // what separates fields
	line   *csvLine // nil if the event is spread over columns
}

// commas are what may separate fields. Spreadsheets write semicolons in countries
// where a comma separates decimals.
const commas = ",;\t"

// csvProbe is how many bytes are searched for the first such line, unless a line
// of JSON ends the search.
const csvProbe = 64 << 10

// csvHeads looks for these lines in a part. The zero value is at its beginning.
type csvHeads struct {
	now    *csvHead // the last one; nil before the first
	looked int      // bytes searched for the first one
	none   bool     // the search was given up: the part is no such CSV
}

// note gives c the heads of its rows.
func (h *csvHeads) note(c *Chunk) {
	if h.none || c.document {
		return
	}
	if h.now != nil {
		c.heads = append(c.heads, *h.now)
	}
	offset := c.Offset
	for line := range bytes.Lines(c.Data) {
		if head := csvHeadOf(line); head != nil {
			head.offset = offset
			h.now = head
			c.heads = append(c.heads, *head)
		}
		offset += int64(len(line))
		if h.now != nil {
			continue
		}
		h.looked += len(line)
		if value, _ := trimBlanks(line); h.looked > csvProbe || len(value) > 0 && value[0] == '{' {
			h.none = true
			return
		}
	}
}

// csvHeadOf returns the head that a line is, or nil if it names no columns of
// events.
func csvHeadOf(line []byte) *csvHead {
	line, _ = trimBlanks(bytes.TrimSuffix(line, []byte("\n")))
	if bytes.IndexByte(line, '{') >= 0 || len(line) > maxCSVHead {
		return nil
	}
	if head := csvLineHeadOf(line); head != nil {
		return head
	}
	if !bytes.Contains(line, []byte("AuditId")) && !bytes.Contains(line, []byte("auditID")) {
		return nil
	}
	for _, comma := range []byte(commas) {
		head := csvHead{comma: comma}
		for i := 0; i >= 0; {
			var name []byte
			name, i = head.field(nil, line, i)
			head.names = append(head.names, csvColumn(name))
		}
		if head.has("AuditId", "RequestUri") || head.has("auditID", "stage", "user") {
			return &head
		}
	}
	return nil
}

// maxCSVHead is how many bytes long a line that names columns may be. No known
// export has a hundred columns.
const maxCSVHead = 8 << 10

func (h *csvHead) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(h.names, name) })
}

// csvColumn returns the column that a field of such a line names: Azure's
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

// field appends the field at i to dst, and returns where the next one begins, or
// -1 behind the last.
func (h *csvHead) field(dst, line []byte, i int) ([]byte, int) {
	if i < len(line) && line[i] == '"' {
		dst, i = undouble(dst, line, i+1)
	}
	n := bytes.IndexByte(line[i:], h.comma)
	if n < 0 {
		return append(dst, line[i:]...), -1
	}
	return append(dst, line[i:i+n]...), i + n + 1
}

// head returns the head of the current row, or nil.
func (d *Decoder) head() *csvHead {
	heads := d.chunk.heads
	for d.heads+1 < len(heads) && heads[d.heads+1].offset <= d.recordStart {
		d.heads++
	}
	if d.heads == len(heads) || heads[d.heads].offset > d.recordStart {
		return nil
	}
	return &heads[d.heads]
}

// isCSVRow reports whether a line looks like an event's row: a field is a stage.
func isCSVRow(line []byte) bool {
	for _, stage := range []string{"RequestReceived", "ResponseStarted", "ResponseComplete"} {
		if i := bytes.Index(line, []byte(stage)); i > 0 && i+len(stage) < len(line) {
			before, after := line[i-1], line[i+len(stage)]
			if before == '"' && i > 1 && after == '"' && i+len(stage)+1 < len(line) {
				before, after = line[i-2], line[i+len(stage)+1]
			}
			if before == after && strings.IndexByte(commas, before) >= 0 {
				return true
			}
		}
	}
	return false
}

// openColumns opens a row of a CSV with a head, as an object of strings by
// column.
func (d *Decoder) openColumns(t *text) bool {
	if len(d.chunk.heads) == 0 || t.depth > 0 {
		return false
	}
	head := d.head()
	if head == nil {
		return false
	}
	if _, ok := peelCRI(t.data); ok {
		return false // pieces of lines are joined only if the line itself says that it is one
	}
	if head.line != nil && head.offset < d.recordStart {
		return d.openLineRow(t, head)
	}
	from, open := len(d.arena), byte('{')
	for n, i := 0, 0; i >= 0 && n < len(head.names) && head.offset < d.recordStart; n++ {
		d.field, i = head.field(d.field[:0], t.data, i)
		if head.names[n] == "" || len(d.field) == 0 {
			continue
		}
		d.arena = append(append(append(d.arena, open, '"'), head.names[n]...), `":"`...)
		d.arena = append(appendEscaped(d.arena, d.field), '"')
		open = ','
	}
	if len(d.arena) == from {
		d.refuse(Foreign, t) // the row is empty, or it is the head itself
		return true
	}
	d.arena = append(d.arena, '}')
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], 0)
	in.shapes = in.shapes.with(CSV)
	d.hold(in)
	return true
}

// appendEscaped appends text as it stands between the quotes of a JSON string.
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
