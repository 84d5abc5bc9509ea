package parser

// maxValues is how deep the values of OpenTelemetry are followed: as deep as
// any object of Kubernetes is nested.
const maxValues = 32

// openKeyValues opens a body that a collector has parsed: the event is a list
// of keys and values, each of which says its kind. It is put into JSON again.
func openKeyValues(d *Decoder, t text, at place) bool {
	from := len(d.arena)
	d.arena = appendKeyValues(d.arena, t.data, at, maxValues)
	d.hold(t.holding(d.arena[from:len(d.arena):len(d.arena)], 0))
	return true
}

// openBytes opens a body that a collector took for bytes: base64 of any line.
func openBytes(d *Decoder, t text, at place) bool {
	line, arena, ok := d.decoded(&t, at)
	if !ok || isBlankText(line) {
		return false
	}
	d.arena = arena
	d.hold(t.holding(line, at.start))
	return true
}

// appendKeyValues appends the object that {"values": [{"key": NAME, "value":
// VALUE}...]} stands for.
func appendKeyValues(dst, b []byte, at place, depth int) []byte {
	open := byte('{')
	for pair := range valuesOf(b, at) {
		key, isKey := member(b, pair.start, "key")
		value, isValue := member(b, pair.start, "value")
		if isKey && isValue && b[key.start] == '"' {
			dst = append(append(append(dst, open), b[key.start:key.end]...), ':')
			dst = appendAnyValue(dst, b, value, depth-1)
			open = ','
		}
	}
	if open == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// appendAnyValue appends what a value of OpenTelemetry stands for: {"intValue":
// "1"} is 1, since JSON's numbers are too short for all of 64 bits.
func appendAnyValue(dst, b []byte, at place, depth int) []byte {
	if b[at.start] != '{' || depth == 0 {
		return append(dst, "null"...)
	}
	for kind, in := range membersOf(b, at.start) {
		value := b[in.start:in.end]
		switch string(kind) {
		case "stringValue", "boolValue", "doubleValue", "string_value", "bool_value", "double_value":
			return append(dst, value...)
		case "intValue", "int_value":
			if number := scalarNumber(value); number != nil {
				return append(dst, number...)
			}
		case "kvlistValue", "kvlist_value":
			return appendKeyValues(dst, b, in, depth)
		case "arrayValue", "array_value":
			open := byte('[')
			for item := range valuesOf(b, in) {
				dst = appendAnyValue(append(dst, open), b, item, depth-1)
				open = ','
			}
			if open == '[' {
				dst = append(dst, '[')
			}
			return append(dst, ']')
		}
	}
	return append(dst, "null"...)
}

// valuesOf yields the objects of {"values": [...]}.
func valuesOf(b []byte, at place) func(yield func(place) bool) {
	return func(yield func(place) bool) {
		if b[at.start] != '{' {
			return
		}
		list, ok := member(b, at.start, "values")
		if !ok || b[list.start] != '[' {
			return
		}
		for _, item := range elements(b, list.start) {
			if b[item.start] == '{' && !yield(item) {
				return
			}
		}
	}
}

// scalarNumber returns a number, which may stand in quotes, or nil.
func scalarNumber(value []byte) []byte {
	if value[0] == '"' {
		value = value[1 : len(value)-1]
	}
	if len(value) == 0 || skipNumber(value, 0) != len(value) {
		return nil
	}
	return value
}
