package hotloop

import (
	"cmp"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// The bounds of a state: a request takes some 250 bytes, so these come to 4
// MiB for a busy resource in a log of over half an hour.
const (
	maxSteps  = 32
	maxWrites = 256 // of a step
	maxReads  = 256
)

// A State is what is known of a resource.
type State struct {
	Writes tally.Cells[Sample] `json:"writes"` // by receipt, in steps of a minute or longer
	Reads  tally.Cells[Sample] `json:"reads"`
}

func newState() *State {
	step := time.Minute.Microseconds()
	return &State{
		Writes: tally.Cells[Sample]{StepMicros: step, Cap: maxSteps},
		Reads:  tally.Cells[Sample]{StepMicros: step, Cap: maxSteps},
	}
}

// A Sample is the requests of a step, those with the smallest hashes if they
// are many. Which these are has nothing to do with the object.
type Sample struct {
	tally.Sample[*Request]
}

// Plus joins two samples.
func (s Sample) Plus(o Sample) Sample {
	s.Merge(&o.Sample)
	return s
}

// A Request is a write or a read of an object.
type Request struct {
	Hash      uint64     `json:"hash"`
	Began     audit.Time `json:"began"`
	Verb      string     `json:"verb"`
	Sub       string     `json:"sub,omitempty"`
	Namespace string     `json:"ns,omitempty"`
	Name      string     `json:"name"`
	User      string     `json:"user,omitempty"`
	Agent     string     `json:"agent,omitempty"`
	IP        string     `json:"ip,omitempty"`
	Line      tally.Line `json:"line"`
}

// Compare orders requests by hash.
func (r *Request) Compare(o *Request) int {
	return cmp.Or(
		cmp.Compare(r.Hash, o.Hash),
		comparePlaces(&r.Line, &o.Line),
	)
}

func comparePlaces(a, b *tally.Line) int {
	return cmp.Or(
		cmp.Compare(a.Time, b.Time),
		strings.Compare(a.Source, b.Source),
		cmp.Compare(a.Offset, b.Offset),
		strings.Compare(a.AuditID, b.AuditID),
	)
}

// Observe takes in a request.
func (s *State) Observe(e *audit.Event) {
	if e.Verb == audit.VerbGet {
		s.Reads.At(e.Began()).observe(e, maxReads)
	} else {
		s.Writes.At(e.Began()).observe(e, maxWrites)
	}
}

func (s *Sample) observe(e *audit.Event, size int) {
	s.K = size
	hash := tally.Mix(tally.HashBytes(e.AuditID), uint64(e.Began()))
	s.Offer(
		func(kept **Request) int {
			if c := cmp.Compare(hash, (*kept).Hash); c != 0 {
				return c
			}
			return comparePlaces(&tally.Line{Time: e.At, Source: e.Source, Offset: e.Offset, AuditID: analysis.NameOf(e.AuditID)}, &(*kept).Line)
		},
		func() *Request { return requestOf(hash, e) },
	)
}

func requestOf(hash uint64, e *audit.Event) *Request {
	r := &Request{
		Hash: hash, Began: e.Began(), Verb: e.Verb.String(), Sub: e.Subresource.String(),
		Namespace: e.Namespace.String(), Name: e.Name.String(),
		User: e.Actor().String(), Agent: e.UserAgent.String(), IP: e.ClientIP().String(),
	}
	r.Line.Set(e)
	return r
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Writes.Merge(&o.Writes)
	s.Reads.Merge(&o.Reads)
}
