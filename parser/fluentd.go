package parser

import "bytes"

// peelFluentd: what Fluentd's outputs file and stdout write: a time, the tag and
// the record as JSON. file separates them by tabs, stdout by blanks with a colon
// behind the tag.
func peelFluentd(line []byte) (p peeled, ok bool) {
	i := stampEnd(line)
	if i == 0 || i >= len(line) {
		return p, false
	}
	if line[i] == ' ' {
		i += 1 + zoneEnd(line[i+1:])
		if i >= len(line) || line[i-1] == ' ' {
			return p, false
		}
	}
	p.stamp = line[:i]
	separator := line[i]
	if separator != '\t' && separator != ' ' {
		return p, false
	}
	tag := bytes.IndexByte(line[i+1:], separator)
	if tag <= 0 {
		return p, false
	}
	word, end := line[i+1:i+1+tag], i+1+tag+1
	if separator == ' ' && word[len(word)-1] != ':' || end >= len(line) || line[end] != '{' {
		return p, false
	}
	return peeled{text: end, stamp: p.stamp}, true
}
