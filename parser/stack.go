package parser

import "bytes"

// traceWindow is how far behind the beginning of a panic's line its stack is
// read: the culprit stands in the first dozen of lines, of 100 bytes each.
const traceWindow = 8 << 10

// panicsBegin are the texts by which the line is known that a stack follows.
var panicsBegin = [][]byte{[]byte("Observed a panic"), []byte("fatal error: "), []byte("panic: ")}

// wholeTraces returns up to where the first n bytes of data, which are whole
// lines, may be handed out without cutting what stands within traceWindow
// behind the line of a panic: n itself, or where such a line begins.
func wholeTraces(data []byte, n int) int {
	from := max(n-traceWindow, 0)
	if i := bytes.LastIndexByte(data[:from], '\n'); i >= 0 {
		from = i + 1
	} else {
		from = 0
	}
	for at := from; at < n; {
		end := n
		if i := bytes.IndexByte(data[at:n], '\n'); i >= 0 {
			end = at + i + 1
		}
		if n-at < traceWindow && beginsTrace(data[at:end]) {
			return beforeStack(data, at)
		}
		at = end
	}
	return beforeStack(data, n)
}

// beforeStack returns where the lines that end at n begin of which every other
// one is of a stack, at least: the line of its panic may follow. It is n if
// there are none, or more than traceWindow.
func beforeStack(data []byte, n int) int {
	from := max(n-traceWindow, 0)
	begin, others := n, 0
	for end := n; end > from; {
		at := bytes.LastIndexByte(data[:end-1], '\n') + 1
		switch line := data[at:end]; {
		case looksOfStack(line):
			begin, others = at, 0
		case others == 1:
			return begin
		default:
			others++
		}
		end = at
	}
	if begin <= from && from > 0 {
		return n
	}
	return begin
}

// looksOfStack looks for a line of a stack, in whatever carries it.
func looksOfStack(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"kind":"Event"`)) {
		return false
	}
	if bytes.Contains(line, []byte("goroutine ")) {
		return true
	}
	i := bytes.Index(line, []byte(".go:"))
	return i >= 0 && i+len(".go:") < len(line) && isDigit(line[i+len(".go:")])
}

// beginsTrace looks for a panic in a line, but for one that is an audit event.
func beginsTrace(line []byte) bool {
	if bytes.HasPrefix(bytes.TrimLeft(line, blanks), []byte(`{"kind":"Event"`)) {
		return false
	}
	for _, text := range panicsBegin {
		if bytes.Contains(line, text) {
			return true
		}
	}
	return false
}
