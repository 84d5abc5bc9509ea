package parser

import "slices"

// openTorn opens an answer or a dump that was cut off, such as a download that
// ended early, as far as its elements are whole. It counts as truncated, too.
//
// What is no envelope even so is left alone: a line that was torn is an event
// or nothing.
func (d *Decoder) openTorn(t *text) bool {
	if t.depth > 0 {
		return false
	}
	end, open := wholeElements(t.data)
	if end == 0 {
		return false
	}
	from := len(d.arena)
	d.arena = append(d.arena, t.data[:end]...)
	for _, closing := range slices.Backward(open) {
		d.arena = append(d.arena, closing)
	}
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], 0)
	if !d.openEnvelope(&in) {
		d.arena = d.arena[:from]
		return false
	}
	d.refuse(Truncated, t)
	return true
}

// wholeElements returns where the last object or array ends that is an element
// of an array, or 0, and what closes the brackets that are open there, the
// outermost first.
func wholeElements(b []byte) (end int, open []byte) {
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
			if stack = stack[:n]; n > 0 && stack[n-1] == ']' {
				end, open = i+1, append(open[:0], stack...)
			}
		}
	}
	return end, open
}
