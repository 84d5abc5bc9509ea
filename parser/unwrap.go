package parser

// A carrier is a shape that events travel in other than one a record. items
// appends where in the record stand the events that it carries, and whatever
// stands between them and is to be counted; none if the record has another
// shape.
//
// A new carrier is one file with one of these, and one line in the list.
type carrier struct {
	name  string
	items func(record []byte, spans []span) []span
}

// carriers are asked in this order of what is no event by itself.
var carriers = []carrier{prefixed, values, torn}

// unwrap prepares the events that a record carries. It reports false if the
// record carries none.
func (d *Decoder) unwrap(r entry) bool {
	for i := range carriers {
		if d.inner = carriers[i].items(r.data, d.inner[:0]); len(d.inner) > 0 {
			d.outer = r
			return true
		}
	}
	return false
}

// values is several values in one line: an EventList, as webhooks get it, an
// array of events, or events one after another, with or without commas. The
// items of a list may lack kind and apiVersion.
var values = carrier{
	name: "values",
	items: func(record []byte, spans []span) []span {
		if record[0] != '{' && record[0] != '[' {
			return spans
		}
		var w walker
		whole := 0
		for i, s := w.walk(record, 0); ; i, s = w.walk(record, i) {
			if s == recordEnd {
				spans = append(spans, span{start: w.start, end: i})
				if record[w.start] == '{' {
					whole++
				}
				continue
			}
			if whole == 0 || len(spans) == 1 && spans[0].end-spans[0].start == len(record) {
				return spans[:0] // no value is whole, or it is what was asked about
			}
			if w.open {
				i = w.start
			}
			if i < len(record) {
				spans = append(spans, span{start: i, end: len(record)})
			}
			return spans
		}
	},
}
