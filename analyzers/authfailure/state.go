package authfailure

import (
	"bytes"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxMinutes is how many minutes a state counts one by one; if there are more, its steps
// are longer. A state takes 20 KiB at most.
const maxMinutes = 256

// A State is the refusals of one key: a client or an address.
type State struct {
	Minutes tally.Cells[Minute] `json:"minutes"` // by receipt
	Span    tally.Span          `json:"span"`
	Agents  tally.Set           `json:"agents"`
	Asked   tally.Set           `json:"asked"`   // verb and resource, or pathAsked
	Written tally.Set           `json:"written"` // group/resource/namespace of each write; "" stands for anything else
	Said    tally.Set           `json:"said"`    // why authentication failed, or why a write was not admitted
	Refs    tally.Refs          `json:"refs"`
}

// A Minute counts the refusals of a minute by their stage. A request may have both stages.
type Minute struct {
	Started int64      `json:"started,omitempty"`
	Final   int64      `json:"final,omitempty"`
	At      tally.Span `json:"at"` // when they were received
}

// Plus returns the sum.
func (m Minute) Plus(o Minute) Minute {
	m.At.Merge(o.At)
	return Minute{m.Started + o.Started, m.Final + o.Final, m.At}
}

// refusals returns how many requests were refused.
func (m *Minute) refusals() int64 { return max(m.Started, m.Final) }

func newState() *State {
	return &State{
		Minutes: tally.Cells[Minute]{StepMicros: time.Minute.Microseconds(), Cap: maxMinutes},
		Agents:  tally.Set{Cap: 8}, Asked: tally.Set{Cap: 16}, Written: tally.Set{Cap: 4}, Said: tally.Set{Cap: 4}, Refs: tally.Refs{K: 6},
	}
}

// maxSaid is how many bytes of a message are kept.
const maxSaid = 80

// Observe takes in a refusal.
func (s *State) Observe(e *audit.Event) {
	m := s.Minutes.At(e.Began())
	if e.Final() {
		m.Final++
	} else {
		m.Started++
	}
	m.At.Add(e.Began())
	s.Span.Add(e.Began())
	s.Span.Add(e.At)
	s.Agents.Add(e.UserAgent.String())
	s.ask(e)
	if said := why(e); len(said) > 0 {
		s.Said.AddBytes(said[:min(len(said), maxSaid)])
	}
	s.Refs.Add(e)
}

// why returns what the message says of the cause. Of a write that was not admitted, it
// leaves out the object's name, which comes first.
func why(e *audit.Event) []byte {
	switch {
	case e.Code == 401:
		return e.Message
	case notAdmitted(e):
		if _, cause, ok := bytes.Cut(e.Message, isForbidden); ok {
			return cause
		}
		return e.Message
	}
	return nil
}

var isForbidden = []byte(" is forbidden: ")

// ask keeps what was asked for: verb and resource, or that it was another path.
func (s *State) ask(e *audit.Event) {
	var room [128]byte
	if e.IsWrite() {
		scope := append(append(room[:0], e.Group.String()...), '/')
		scope = append(append(scope, e.Resource.String()...), '/')
		s.Written.AddBytes(append(scope, e.Namespace.String()...))
	} else {
		s.Written.Add("")
	}
	if e.Resource == (audit.Sym{}) {
		s.Asked.Add(pathAsked)
		return
	}
	text := append(room[:0], e.Verb.String()...)
	text = append(append(text, ' '), e.Resource.String()...)
	if e.Subresource != (audit.Sym{}) {
		text = append(append(text, '/'), e.Subresource.String()...)
	}
	s.Asked.AddBytes(text)
}

const pathAsked = "a path without a resource"

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Minutes.Merge(&o.Minutes)
	s.Span.Merge(o.Span)
	s.Agents.Merge(&o.Agents)
	s.Asked.Merge(&o.Asked)
	s.Written.Merge(&o.Written)
	s.Said.Merge(&o.Said)
	s.Refs.Merge(&o.Refs)
}

// count returns how many refusals there were, and how many in the window that has the most.
// If steps are longer than the window, most is the window's share of a step. Refusals of an
// API server that is starting do not count.
func (s *State) count(starts []audit.Time, window time.Duration) (all, most int64) {
	cells := slices.DeleteFunc(slices.Clone(s.Minutes.List), func(c tally.Cell[Minute]) bool { return analysis.StartingUp(starts, c.Value.At) })
	for w := range tally.Windows(cells, s.Minutes.Step(), window, (*Minute).refusals) {
		all += cells[w.Last].Value.refusals()
		most = max(most, w.Sum)
	}
	return all, most
}
