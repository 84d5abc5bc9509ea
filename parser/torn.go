package parser

import "bytes"

// torn is a record that was cut off and the event that was written behind it
// on the same line: an API server that dies leaves no newline, and the next
// one writes on.
var torn = carrier{
	name: "torn",
	items: func(record []byte, spans []span) []span {
		if record[0] != '{' {
			return spans
		}
		i := bytes.LastIndex(record, []byte(`{"kind":"Event","apiVersion":"audit.k8s.io/`))
		if i <= 0 || !isOneValue(record[i:]) {
			return spans // an event inside of another object
		}
		head := bytes.TrimRight(record[:i], blanks)
		return append(spans, span{start: 0, end: len(head)}, span{start: i, end: len(record)})
	},
}

func isOneValue(data []byte) bool {
	var w walker
	i, s := w.walk(data, 0)
	return s == recordEnd && i == len(data)
}
