package parser

import "bytes"

// openValues opens several values in one text: an EventList, as webhooks get
// it, an array of events, or events one after another, with or without commas.
// The items of a list may lack kind and apiVersion.
func (d *Decoder) openValues(t *text) bool {
	first := len(d.texts)
	var closed bool
	d.spans, closed = values(t.data, d.spans[:0])
	for _, s := range d.spans {
		d.hold(t.inside(s.start, s.end))
	}
	d.turn(first)
	if !closed {
		d.refuse(Truncated, t)
	}
	return len(d.spans) > 0
}

// values appends where in data stand the values of a list, and whatever
// stands behind the last whole one and is to be counted; nothing if data is
// one value. closed is false if data ends behind a whole one, in a list.
func values(data []byte, spans []span) (_ []span, closed bool) {
	if data[0] != '{' && data[0] != '[' {
		return spans, true
	}
	var w walker
	whole := 0
	for i, s := w.walk(data, 0); ; i, s = w.walk(data, i) {
		if s == recordEnd {
			spans = append(spans, span{start: w.start, end: i})
			if c := data[w.start]; c == '{' || c == '"' && w.start+1 < i && data[w.start+1] == '{' {
				whole++
			}
			continue
		}
		if whole == 0 || len(spans) == 1 && spans[0].end-spans[0].start == len(data) {
			return spans[:0], true // no value is whole, or it is what was asked about
		}
		if next := nextWhole(data, i); next > i && !w.open && len(w.frames) == 0 {
			spans = append(spans, span{start: i, end: next}) // text between events
			w.reset()
			i = next
			continue
		}
		if w.open {
			i = w.start
		}
		if i < len(data) {
			return append(spans, span{start: i, end: len(data)}), true
		}
		return spans, len(w.frames) == 0
	}
}

// beginsList reports whether a line begins as a list of texts does, which no
// prefix in brackets does.
func beginsList(line []byte) bool {
	return line[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(line[1:], blanks), []byte{'"'})
}

func isOneValue(data []byte) bool {
	var w walker
	i, s := w.walk(data, 0)
	return s == recordEnd && i == len(data)
}
