package parser

// A text is what a record holds, or what a carrier held in it: an event, a
// carrier again, or a line of something else. Escapes are taken off.
type text struct {
	entry // data and its place; the place stays that in the part, whatever was unwrapped

	label   []byte // the node, pod or stream that the carrier names, which tells logs of one file apart
	stamp   []byte // the time that the carrier gives, as it stands there; see time
	shapes  Shapes // the carriers that it was taken out of
	depth   int    // how many they were
	output  output // of the container that wrote it
	more    bool   // it is a piece that the next one of this output continues
	maybe   bool   // it is such a piece if it continues one itself
	long    bool   // it is the beginning of a line that is too long
	real    int    // how much of data stands in the log, if brackets were added to close it; 0 is all
	cut     bool   // the carrier cuts texts that are too long for it
	oneTime bool   // the carrier keeps only one of an event's two times
}

// An output is one of the two streams that a container writes to.
type output uint8

const (
	noOutput output = iota
	stdout
	stderr
	outputs
)

// maxCarriers bounds how many carriers may nest. Four are known to: a line of CRI
// in a shipper's record in a list in an answer of an API.
const maxCarriers = 8

// inside returns the text that stands at data[start:end] of t's data.
func (t *text) inside(start, end int) text {
	in := *t
	in.data = t.data[start:end]
	in.offset += int64(start)
	in.depth++
	in.more, in.maybe = false, false
	if in.real -= start; t.real == 0 || end <= t.real {
		in.real = 0
	}
	return in
}

// holding returns a text with bytes that stood, escaped, at start of t's data.
func (t *text) holding(data []byte, start int) text {
	in := t.inside(start, start)
	in.data = data
	return in
}

// isBlankText reports whether nothing is left of a line but its carrier.
func isBlankText(b []byte) bool {
	for _, c := range b {
		if !isBlank(c) {
			return false
		}
	}
	return true
}
