package hotloop

import (
	"encoding/json"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// How many requests of a resource are kept. Past these it is counted by the
// minute too: a busy resource takes 480 KiB, and a large cluster has some forty
// such.
const (
	maxWrites = 512
	maxReads  = 256
	maxTokens = 512 // of one resource
)

// A State is what is known of a resource.
type State struct {
	Writes Sample  `json:"writes"` // but for tokens
	Reads  Sample  `json:"reads"`
	Tokens Sample  `json:"tokens"` // creates of serviceaccounts/token
	Counts *Counts `json:"counts"` // nil as long as all samples are whole
}

func newState() *State {
	return &State{Writes: Sample{cap: maxWrites}, Reads: Sample{cap: maxReads}, Tokens: Sample{cap: maxTokens}}
}

// A class is which sample a request belongs to.
type class int

const (
	aWrite class = iota
	aRead
	aToken
)

func classOf(e *audit.Event) class {
	switch {
	case e.Verb == audit.VerbGet:
		return aRead
	case isTokenRequest(e):
		return aToken
	}
	return aWrite
}

func (s *State) samples() [3]*Sample {
	return [...]*Sample{aWrite: &s.Writes, aRead: &s.Reads, aToken: &s.Tokens}
}

// Observe takes in a request.
func (s *State) Observe(e *audit.Event) {
	class, hash := classOf(e), hashOf(e)
	sample := s.samples()[class]
	drops, counts := sample.drops(hash), s.Counts != nil && counted(class, hash)
	if drops && !counts {
		return
	}
	object := objectHash(e)
	if counts {
		s.Counts.count(class, object, e.Subresource, writer{e.Actor(), e.UserAgent}, e.Code, e.Began())
	}
	if !drops && sample.add(e, hash, object) {
		s.settle()
	}
}

// oneRead is how many reads one that is counted stands for. There are many, and
// what is looked for is a client that never rests.
const oneRead = 4

// counted reports whether a request of the class counts.
func counted(c class, hash uint64) bool { return c != aRead || hash%oneRead == 0 }

// settle cuts samples that are too large. Before the first is cut, the counts
// begin with what all of them hold, which until then is all there was.
func (s *State) settle() {
	for _, sample := range s.samples() {
		if len(sample.lines) > sample.cap {
			s.startCounts()
			sample.cut()
		}
	}
}

func (s *State) startCounts() {
	if s.Counts != nil {
		return
	}
	s.Counts = new(Counts)
	for i, sample := range s.samples() {
		for n := range sample.lines {
			if l := &sample.lines[n]; counted(class(i), l.hash) {
				s.Counts.count(class(i), l.object, l.Subresource(), l.writer(), l.Code(), l.Began())
			}
		}
	}
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	if s.Counts != nil || o.Counts != nil {
		s.startCounts()
		o.startCounts()
		s.Counts.merge(o.Counts)
	}
	mine, theirs := s.samples(), o.samples()
	for i := range mine {
		mine[i].lines = append(mine[i].lines, theirs[i].lines...)
		mine[i].lower(theirs[i].below)
	}
	s.settle()
}

// MarshalJSON writes the state as it is once it has settled.
func (s *State) MarshalJSON() ([]byte, error) {
	type plain State
	s.settle()
	return json.Marshal((*plain)(s))
}
