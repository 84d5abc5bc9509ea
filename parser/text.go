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
	more    bool   // the next piece of the output goes on with it
	long    bool   // there is more of it than a line may be long
	maybe   bool   // it does so if this goes on with another
	real    int    // so much of data stands in the log, and what closes it was added; 0 is all
	cut     bool   // the carrier cuts what is too long for it
	oneTime bool   // the carrier keeps one time of two
}

// An output is one of the two streams that a container writes to.
type output uint8

const (
	noOutput output = iota
	stdout
	stderr
	outputs
)

// maxCarriers bounds how often what was unwrapped is unwrapped again. Four are
// seen: a line of CRI in a shipper's record in a list in an answer of an API.
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
