package parser

import "bytes"

// peelEvents: aws logs filter-log-events and get-log-events with --output text.
// Fields stand between tabs:
//
//	EVENTS  eventId  ingestionTime  logStreamName  message  timestamp
//
// get-log-events has neither the event's ID nor the stream.
func peelEvents(line []byte) (p peeled, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("EVENTS\t"))
	if !ok {
		return p, false
	}
	numbers := 0
	for numbers < 2 {
		field, behind, cut := bytes.Cut(rest, []byte{'\t'})
		if !cut || len(bytes.Trim(field, "0123456789")) > 0 {
			break
		}
		rest = behind
		numbers++
	}
	if numbers == 0 {
		return p, false
	}
	if numbers == 2 {
		if p.label, rest, ok = bytes.Cut(rest, []byte{'\t'}); !ok {
			return p, false
		}
	}
	p.text = len(line) - len(rest)
	if end := bytes.LastIndexByte(rest, '\t'); end > 0 && parseStamp(rest[end+1:]) != 0 {
		p.stamp, p.end = rest[end+1:], p.text+end
	}
	return p, len(rest) > 0
}
