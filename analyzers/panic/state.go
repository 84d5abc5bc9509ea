package panics

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A State is the panics of one value on one resource. It takes some 10 KiB at
// most.
type State struct {
	Steps tally.Cells[tally.Count] `json:"steps"` // by when it panicked
	Span  tally.Span               `json:"span"`
	Took  tally.Histogram          `json:"took"` // from receipt; not of long-running requests
	Refs  tally.Refs               `json:"refs"`

	Values tally.Set `json:"values"` // with their numbers
	Verbs  tally.Set `json:"verbs"`
	Users  tally.Set `json:"users"`
	Agents tally.Set `json:"agents"`
	IPs    tally.Set `json:"ips"`
	Spaces tally.Set `json:"spaces"`
	Names  tally.Set `json:"names"` // of objects, or paths without a resource
}

func newState() *State {
	return &State{
		Steps:  tally.Cells[tally.Count]{Cap: 128},
		Values: tally.Set{Cap: 4}, Verbs: tally.Set{Cap: 8}, Users: tally.Set{Cap: 8}, Agents: tally.Set{Cap: 2},
		IPs: tally.Set{Cap: 2}, Spaces: tally.Set{Cap: 2}, Names: tally.Set{Cap: 2},
	}
}

// Observe takes in a panic.
func (s *State) Observe(e *audit.Event) {
	*s.Steps.At(e.At)++
	s.Span.Add(e.At)
	if took, ok := e.Latency(); ok && !e.LongRunning() {
		s.Took.Add(took)
	}
	s.Refs.Add(e)
	s.Values.AddBytes(valueOf(e))
	s.Verbs.Add(e.Verb.String())
	s.Users.Add(e.Actor().String())
	s.Agents.Add(e.UserAgent.String())
	s.IPs.Add(e.ClientIP().String())
	s.Spaces.Add(e.Namespace.String())
	if e.Resource == (audit.Sym{}) {
		s.Names.Add(e.Target())
	} else {
		s.Names.AddBytes(e.Name)
	}
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Steps.Merge(&o.Steps)
	s.Span.Merge(o.Span)
	s.Took.Merge(&o.Took)
	s.Refs.Merge(&o.Refs)
	s.Values.Merge(&o.Values)
	s.Verbs.Merge(&o.Verbs)
	s.Users.Merge(&o.Users)
	s.Agents.Merge(&o.Agents)
	s.IPs.Merge(&o.IPs)
	s.Spaces.Merge(&o.Spaces)
	s.Names.Merge(&o.Names)
}
