package parser

import "bytes"

// openRunOn opens a line on which whole events stand behind what is none: an
// API server that dies in the middle of an event leaves no newline, and the
// next one writes on; a disk that was full leaves ends of events. What stands
// around them is read for itself, and refused.
func (d *Decoder) openRunOn(t *text) bool {
	first, from := len(d.texts), 0
	for i := nextWhole(t.data, 1); i >= 0; i = nextWhole(t.data, from) {
		end := eventEnd(t.data, i)
		d.hold(t.inside(from, i))
		d.hold(t.inside(i, end))
		from = end
	}
	if from == 0 {
		return false
	}
	d.hold(t.inside(from, len(t.data)))
	d.turn(first)
	return true
}

// openBehindOwn opens a line of klog behind which an event stands, whole or
// torn: both are written to one stream, and the end of a line was lost.
func (d *Decoder) openBehindOwn(t *text) bool {
	i := nextEvent(t.data, 1)
	if i < 0 {
		return false
	}
	if !d.openRunOn(t) {
		first := len(d.texts)
		d.hold(t.inside(0, i))
		d.hold(t.inside(i, len(t.data)))
		d.turn(first)
	}
	return true
}

// nextWhole returns where the next event from position from on begins that is
// whole, or -1.
func nextWhole(data []byte, from int) int {
	i := nextEvent(data, from)
	for i >= 0 && eventEnd(data, i) < 0 {
		i = nextEvent(data, i+1)
	}
	return i
}

// eventEnd returns where the object at i ends, or -1 if it is not whole, or may
// stand inside of another one.
func eventEnd(data []byte, i int) int {
	var w walker
	end, s := w.walk(data, i)
	if s != recordEnd {
		return -1
	}
	if next := space(data, end); next < len(data) && bytes.IndexByte([]byte(",}]<"), data[next]) >= 0 {
		return -1
	}
	return end
}

// nextEvent returns where the next object from position from on begins as audit
// events do, with or without blanks, or -1.
func nextEvent(data []byte, from int) int {
	version := []byte(`"audit.k8s.io/`)
	for at := from; ; {
		n := bytes.Index(data[at:], version)
		if n < 0 {
			return -1
		}
		begin := data[:at+n]
		for _, token := range []string{":", `"apiVersion"`, ",", `"Event"`, ":", `"kind"`, "{"} {
			begin = bytes.TrimRight(begin, blanks+"\n")
			rest, ok := bytes.CutSuffix(begin, []byte(token))
			if !ok {
				begin = nil
				break
			}
			begin = rest
		}
		if begin != nil && len(begin) >= from {
			return len(begin)
		}
		at += n + len(version)
	}
}
