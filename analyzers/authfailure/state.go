package authfailure

import (
	"bytes"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxMinutes is how many minutes are told apart; more are joined. A state is
// bounded by some 20 KiB.
const maxMinutes = 256

// A State is the refusals of one client.
type State struct {
	Minutes tally.Cells[Minute] `json:"minutes"` // by receipt
	Span    tally.Span          `json:"span"`
	Agents  tally.Set           `json:"agents"`
	Asked   tally.Set           `json:"asked"`   // verbs and resources, or paths
	Written tally.Set           `json:"written"` // groups, resources and namespaces of writes; "" is no write
	Said    tally.Set           `json:"said"`    // why an authentication failed, or what was not admitted
	Refs    tally.Refs          `json:"refs"`
}

// A Minute counts the refusals of a minute by how they were logged: a request
// of which both stages are there is one.
type Minute struct {
	Started int64      `json:"started,omitempty"`
	Final   int64      `json:"final,omitempty"`
	At      tally.Span `json:"at"` // when these were received
}

// Plus returns the sum.
func (m Minute) Plus(o Minute) Minute {
	m.At.Merge(o.At)
	return Minute{m.Started + o.Started, m.Final + o.Final, m.At}
}

func (m Minute) refusals() int64 { return max(m.Started, m.Final) }

func newState() *State {
	return &State{
		Minutes: tally.Cells[Minute]{StepMicros: time.Minute.Microseconds(), Cap: maxMinutes},
		Agents:  tally.Set{Cap: 8}, Asked: tally.Set{Cap: 16}, Written: tally.Set{Cap: 4}, Said: tally.Set{Cap: 4}, Refs: tally.Refs{K: 6},
	}
}

// maxSaid is how much of a message is kept.
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

// why returns what a message says of the cause: of what was not admitted, without
// the object's name.
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

// ask keeps what was asked for: of a resource the verb too, of other paths
// that there was one.
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

// count returns how many refusals there were, and how many in the window that
// has the most. Where minutes were joined to steps longer than the window, that
// is the step's share. What an API server refuses as it starts does not count.
func (s *State) count(starts []audit.Time, window time.Duration) (all, most int64) {
	step := s.Minutes.Step()
	width := max(1, int64(window/step))
	cells := slices.DeleteFunc(slices.Clone(s.Minutes.List), func(c tally.Cell[Minute]) bool { return analysis.StartingUp(starts, c.Value.At) })
	from, sum := 0, int64(0)
	for i := range cells {
		sum += cells[i].Value.refusals()
		all += cells[i].Value.refusals()
		for cells[i].Index-cells[from].Index >= width {
			sum -= cells[from].Value.refusals()
			from++
		}
		most = max(most, sum)
	}
	if step > window && window > 0 {
		most = most * int64(window) / int64(step)
	}
	return all, most
}

// steady reports whether the refusals go on evenly through a part of the log.
// From the log's beginning to its end, or from --since to --until, they have no
// beginning that would tell what changed. A log of less than half a minute, or
// of little else, is an excerpt and tells nothing.
func (s *State) steady(p *analysis.Pass, part tally.Span, window time.Duration) bool {
	all, most := s.count(p.Facts.MayHaveStarted(), window)
	span := part.Len()
	if span < time.Minute/2 || p.Facts.Events < 4*all || 5*s.Span.Len() < 4*span {
		return false
	}
	windows := max(1, float64(span)/float64(max(1, window)))
	return float64(most) <= 3*float64(all)/windows
}
