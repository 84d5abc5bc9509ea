package parser

import (
	"bytes"
	"slices"
)

// openStream opens the values of a stream of Loki's: [time, line] each. The
// newest stands first if none is asked for; lines then come from the oldest on,
// since the lines of a stack belong behind that of their panic.
func openStream(d *Decoder, t text, at place) bool {
	if t.data[at.start] != '[' {
		return false
	}
	first, oldest := len(d.texts), []byte(nil)
	backward := false
	for _, pair := range elements(t.data, at.start) {
		if t.data[pair.start] != '[' {
			continue
		}
		in := t
		for n, part := range elements(t.data, pair.start) {
			switch n {
			case 0:
				in.stamp = scalar(t.data, part)
				backward = backward || len(oldest) == len(in.stamp) && bytes.Compare(oldest, in.stamp) > 0
				oldest = in.stamp
			case 1:
				d.holdValue(&in, part)
			}
		}
	}
	if backward {
		d.turn(first)
	}
	return true
}

// openPairs opens such values without their stream. It reports false where it
// finds no line, since others have values, too.
func openPairs(d *Decoder, t text, at place) bool {
	first := len(d.texts)
	return openStream(d, t, at) && len(d.texts) > first
}

// openLabelled opens what logcli prints by default behind the time: the labels
// in braces, {node="cp1", job="audit"}, and the line.
func (d *Decoder) openLabelled(t *text) bool {
	if !t.shapes.Has(Timestamps) || len(t.data) < 3 || t.data[1] == '"' {
		return false
	}
	in := *t
	i := 1
	for t.data[i] != '}' {
		name, value, after := labelPair(t.data, i)
		if after < 0 || after >= len(t.data) {
			return false
		}
		if isPlace(name) && in.label == nil {
			in.label = value
		}
		i = after
	}
	in.shapes = in.shapes.with(Loki)
	d.hold(in.inside(i+1, len(in.data)))
	return true
}

// labelPair reads name="value" at i, and the comma behind it. after is -1 if
// something else stands there.
func labelPair(b []byte, i int) (name, value []byte, after int) {
	from := i
	for i < len(b) && (isWord(b[i]) || b[i] == '_' || b[i] >= 'A' && b[i] <= 'Z') {
		i++
	}
	if i == from || len(b)-i < 3 || b[i] != '=' || b[i+1] != '"' {
		return nil, nil, -1
	}
	end := skipString(b, i+2)
	if end < 0 {
		return nil, nil, -1
	}
	name, value = b[from:i], b[i+2:end-1]
	for end < len(b) && (b[end] == ',' || b[end] == ' ') {
		end++
	}
	return name, value, end
}

// placeLabels are the labels that name the node or pod that a line is from.
var placeLabels = []string{"node", "node_name", "nodename", "instance", "hostname", "host", "pod"}

func isPlace(label []byte) bool { return slices.Contains(placeLabels, string(label)) }
