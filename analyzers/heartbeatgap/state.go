package heartbeatgap

import (
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of a node: 4 KiB of steps of five seconds a day, and half a
// kilobyte of lines of each pause, of which most nodes have none.
const (
	stepMicros = 5_000_000
	maxSteps   = 64
	maxPauses  = 128

	// A kubelet renews its lease every ten seconds: what takes longer than one and
	// a half of these is a beat missed.
	pauseMicros = 15_000_000

	maxGood   = 128
	maxFailed = 32
	maxWrites = 16
	maxIPs    = 8
	maxPods   = 128 // a kubelet runs 110

	maxAgain   = 4    // deletions of pods of one name
	maxEvicted = 1024 // pods of all nodes, 100 KiB
)

// A State is what is known of one node.
type State struct {
	Cover  tally.Cover                 `json:"cover"`  // signs of life, by receipt
	Pauses tally.Pauses                `json:"pauses"` // between them
	Events [audit.StagePanic + 1]int64 `json:"events"` // by stage
	Heart  int64                       `json:"heart"`  // leases and status written: it is a kubelet
	IPs    tally.Set                   `json:"ips"`

	Marked     tally.Intervals `json:"marked"` // status writes by the node-controller
	MarkLines  tally.LateRefs  `json:"markLines"`
	Missed     tally.Intervals `json:"missed"`  // those of them that say so: see observeOther
	Tainted    tally.Intervals `json:"tainted"` // the node patched by the node-controller
	Deleted    tally.Intervals `json:"deleted"`
	Patched    tally.Intervals `json:"patched"`    // by people
	Steered    tally.Intervals `json:"steered"`    // by programs that are none of the cluster's own controllers
	Registered tally.Intervals `json:"registered"` // creations by the kubelet itself

	Good     tally.Cover           `json:"good"`     // beats that took effect, by receipt
	Beats    int64                 `json:"beats"`    // how many
	Failed   tally.Cells[Failures] `json:"failed"`   // beats that did not, by receipt
	Renewals int64                 `json:"renewals"` // of the lease
	Renewed  tally.Cells[Renewal]  `json:"renewed"`  // the first of a step
	Pods     podSet                `json:"pods"`     // that the kubelet asked for by name
	Cut      tally.Intervals       `json:"cut"`      // ends of watches before their time
	Selected tally.Span            `json:"selected"`

	// Of kindEvictions, by pod: deletions by those who do it for a node that is
	// not ready, and evictions that somebody asked for, as draining does.
	Evicted tally.Table[tally.Intervals] `json:"evicted"`
	Drained tally.Table[tally.Intervals] `json:"drained"`
}

func newState() *State {
	return &State{
		Pauses:     tally.Pauses{LeastMicros: pauseMicros, Most: maxPauses},
		IPs:        tally.Set{Cap: maxIPs},
		Marked:     tally.Intervals{Cap: maxWrites},
		MarkLines:  tally.LateRefs{K: maxWrites},
		Missed:     tally.Intervals{Cap: maxWrites},
		Deleted:    tally.Intervals{Cap: maxWrites},
		Patched:    tally.Intervals{Cap: maxWrites},
		Steered:    tally.Intervals{Cap: maxWrites},
		Registered: tally.Intervals{Cap: maxWrites},
		Good:       tally.Cover{Cap: maxGood},
		Failed:     tally.Cells[Failures]{StepMicros: stepMicros, Cap: maxFailed},
		Renewed:    tally.Cells[Renewal]{StepMicros: stepMicros, Cap: maxSteps},
		Tainted:    tally.Intervals{Cap: maxWrites},
		Cut:        tally.Intervals{Cap: maxWrites},
		Evicted:    tally.Table[tally.Intervals]{Cap: maxEvicted},
		Drained:    tally.Table[tally.Intervals]{Cap: maxEvicted},
	}
}

// Observe takes in a sign of life, or what another did to the node.
func (s *State) Observe(e *audit.Event) {
	s.Selected.Add(e.At)
	s.observe(e)
}

// Close takes in what was left out: a sign of life ends a silence all the same.
func (s *State) Close(e *audit.Event) { s.observe(e) }

func (s *State) observe(e *audit.Event) {
	switch {
	case strings.HasPrefix(e.User.String(), userPrefix), e.Resource == resLeases:
		s.observeKubelet(e)
	case e.Resource == resPods:
		s.observeEviction(e)
	default:
		s.observeOther(e)
	}
}

// observeKubelet takes in a request of the node's kubelet: a sign of life, whatever it asks
// for.
func (s *State) observeKubelet(e *audit.Event) {
	s.Pauses.Add(e)
	s.Cover.Add(e.Began())
	s.Events[e.Stage]++
	s.IPs.Add(e.ClientIP().String())
	if e.Stage != audit.StageResponseComplete {
		return
	}
	switch {
	case beats(e):
		s.Heart++
		s.observeBeat(e)
		if e.Resource == resLeases {
			s.Renewals++
			if r := renewal(e); r.RV != 0 {
				s.Renewed.Add(e.Began(), r)
			}
		}
	case e.Resource == resNodes && e.Verb == audit.VerbCreate:
		s.Registered.Add(e.Began(), e.At)
	case e.Resource == resPods && len(e.Name) > 0:
		s.Pods.add(tally.HashBytes(e.Name))
	case e.IsWatch():
		s.observeWatch(e)
	}
}

// observeWatch keeps when a watch ended before its time: with the connection,
// as a rule.
func (s *State) observeWatch(e *audit.Event) {
	lived, ok := e.Latency()
	if asked, limited := e.TimeoutSeconds(); ok && limited && lived < asked-time.Second {
		s.Cut.Add(e.At, e.At)
	}
}

// beats reports whether a request is what the node-controller waits for.
func beats(e *audit.Event) bool {
	switch e.Resource {
	case resLeases:
		return e.Namespace == nsLeases && e.IsWrite()
	case resNodes:
		return e.Subresource == audit.SubStatus && e.IsWrite()
	}
	return false
}

// observeOther takes in what others did to the node: deleted it, marked it not ready, tainted
// it, or wrote to it for a reason of their own.
func (s *State) observeOther(e *audit.Event) {
	if !e.Wrote() {
		return
	}
	switch plain := e.Subresource == (audit.Sym{}); {
	case e.Verb == audit.VerbDelete:
		s.Deleted.Add(e.Began(), e.At)
	case byNodeController(e) && plain:
		if mayTaint(e) {
			s.Tainted.Add(e.Began(), e.At)
		}
	case byNodeController(e):
		s.Marked.Add(e.Began(), e.At)
		s.MarkLines.Add(e)
		// It updates the status of a node that it missed; one that was heard first, it patches.
		if e.Verb == audit.VerbUpdate {
			s.Missed.Add(e.Began(), e.At)
		}
	case !plain || byController(e):
	case byProgram(e):
		s.Steered.Add(e.Began(), e.At)
	default:
		s.Patched.Add(e.Began(), e.At)
	}
}

// observeEviction keeps which pods were deleted or evicted for their nodes' sake.
func (s *State) observeEviction(e *audit.Event) {
	if !e.Wrote() {
		return
	}
	pods := &s.Evicted
	if e.Subresource == subEviction {
		pods = &s.Drained
	}
	if pod := pods.At(analysis.NameOf(e.Name)); pod != nil {
		pod.Cap = maxAgain
		pod.Add(e.Began(), e.At)
	}
}

// Merge takes in what another state of the same node knows.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Cover.Merge(&other.Cover)
	s.Pauses.Merge(&other.Pauses)
	for i := range s.Events {
		s.Events[i] += other.Events[i]
	}
	s.Heart += other.Heart
	s.IPs.Merge(&other.IPs)
	s.Marked.Merge(&other.Marked)
	s.MarkLines.Merge(&other.MarkLines)
	s.Missed.Merge(&other.Missed)
	s.Deleted.Merge(&other.Deleted)
	s.Patched.Merge(&other.Patched)
	s.Steered.Merge(&other.Steered)
	s.Registered.Merge(&other.Registered)
	s.Good.Merge(&other.Good)
	s.Beats += other.Beats
	s.Failed.Merge(&other.Failed)
	s.Tainted.Merge(&other.Tainted)
	s.Renewals += other.Renewals
	s.Renewed.Merge(&other.Renewed)
	s.Pods.merge(other.Pods)
	s.Cut.Merge(&other.Cut)
	s.Evicted.Merge(&other.Evicted)
	s.Drained.Merge(&other.Drained)
	s.Selected.Merge(other.Selected)
}
