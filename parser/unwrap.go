package parser

import "bytes"

// A carrier is a shape that events travel in other than one a record. items
// appends where in the record they stand; it returns none if the record is
// something else.
//
// A new carrier is one file with one of these, and one line in the list.
type carrier struct {
	name  string
	items func(record []byte, spans []span) []span
}

var carriers = []carrier{eventList}

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

// eventList is an EventList, as webhooks get it, or an array of events, in one
// line. Its items may lack kind and apiVersion.
var eventList = carrier{
	name: "EventList",
	items: func(record []byte, spans []span) []span {
		if record[0] != '[' && !bytes.Contains(record, []byte(`"items"`)) {
			return spans
		}
		var c Chunk
		d := documentCutter{r: bytes.NewReader(record), opts: Options{ChunkSize: len(record), MaxLine: len(record)}}
		if err := d.next(&c); err != nil || len(c.spans) == 1 && c.spans[0].offset == 0 {
			return spans
		}
		for _, s := range c.spans {
			spans = append(spans, span{start: int(s.offset), end: int(s.offset) + s.end - s.start})
		}
		return spans
	},
}
