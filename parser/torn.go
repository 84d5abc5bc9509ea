package parser

import "slices"

// openTorn opens an answer or a dump that was cut off, such as a download that
// ended early, as far as what it holds is whole. It counts as truncated, too.
//
// What is no envelope even so is left alone: a line that was torn is an event
// or nothing.
func (d *Decoder) openTorn(t *text) bool {
	if !isCutOff(t.data) {
		return false
	}
	end, open := wholeValues(t.data)
	if end == 0 {
		return false
	}
	from := len(d.arena)
	d.arena = append(d.arena, t.data[:end]...)
	for _, closing := range slices.Backward(open) {
		d.arena = append(d.arena, closing)
	}
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], 0)
	in.real = end
	if !d.openEnvelope(&in) {
		d.arena = d.arena[:from]
		return false
	}
	d.refuse(Truncated, t)
	return true
}

// openRest opens what was cut off and closed inside of what was opened: the hit
// of which the document is whole. That something is missing was told.
func (d *Decoder) openRest(t *text) {
	if t.depth < maxCarriers && !d.openEnvelope(t) {
		d.openValues(t)
	}
}

// isCutOff reports whether data begins one value, and ends inside of it.
func isCutOff(data []byte) bool {
	var w walker
	i, s := w.walk(data, 0)
	for s == recordEnd && len(w.frames) > 0 {
		i, s = w.walk(data, i)
	}
	return s == nothing && i == len(data) && len(w.frames) > 0
}

// wholeValues returns where the last object or array ends that stands in
// another one, or 0, and what closes the brackets that are open there, the
// outermost first.
func wholeValues(b []byte) (end int, open []byte) {
	var stack []byte
	for i := 0; i < len(b) && len(stack) < maxFrames; i++ {
		switch c := b[i]; c {
		case '"':
			after := skipString(b, i+1)
			if after < 0 {
				return end, open
			}
			i = after - 1
		case '{', '[':
			stack = append(stack, c+2) // as ASCII has it
		case '}', ']':
			n := len(stack) - 1
			if n < 0 || stack[n] != c {
				return end, open
			}
			if stack = stack[:n]; n > 0 {
				end, open = i+1, append(open[:0], stack...)
			}
		}
	}
	return end, open
}
