package blockeddrain

import (
	"cmp"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// What states keep at most. That of a pod takes some 40 KiB if its drain is stuck for
// hours, and a few hundred bytes as a rule.
const (
	maxMinutes   = 128  // of refusals; more are joined
	maxEvictions = 32   // stretches of time in which a pod was evicted
	maxDeleted   = 8192 // pods whose deletion is known by name
	maxNodes     = 128  // writes of nodes by one user, the latest
)

// A State is the evictions of one pod, or else the deletions of pods, or the nodes that
// a user wrote.
type State struct {
	Refused tally.Cells[Minute] `json:"refused"` // by receipt
	Evicted tally.Cells[Minute] `json:"evicted"` // and what found no pod any more
	Users   tally.Set           `json:"users"`
	Budgets tally.Set           `json:"budgets"`

	Deleted tally.Table[Latest] `json:"deleted"` // by namespace and name
	Nodes   tally.Sample[Node]  `json:"nodes"`
}

// A Minute counts the requests of a minute.
type Minute struct {
	N   int64      `json:"n"`
	Own int64      `json:"own"` // of these, not left out
	At  tally.Span `json:"at"`  // when these were received
	Ref audit.Ref  `json:"ref"` // the earliest
}

// Plus returns the sum.
func (m Minute) Plus(o Minute) Minute {
	if m.N == 0 || o.N > 0 && o.Ref.Compare(m.Ref) < 0 {
		m.Ref = o.Ref
	}
	m.At.Merge(o.At)
	m.N += o.N
	m.Own += o.Own
	return m
}

// Latest is when something happened last.
type Latest audit.Time

// Plus returns the later one.
func (l Latest) Plus(o Latest) Latest { return max(l, o) }

// A Node is a write of a node.
type Node struct {
	At   audit.Time `json:"at"` // of its receipt
	Name string     `json:"name"`
	Ref  audit.Ref  `json:"ref"`
}

// Compare orders writes, the latest first.
func (n Node) Compare(o Node) int {
	return cmp.Or(cmp.Compare(o.At, n.At), n.Ref.Compare(o.Ref))
}

func newState() *State {
	minute := time.Minute.Microseconds()
	return &State{
		Refused: tally.Cells[Minute]{StepMicros: minute, Cap: maxMinutes}, Evicted: tally.Cells[Minute]{StepMicros: minute, Cap: maxEvictions},
		Users: tally.Set{Cap: 16}, Budgets: tally.Set{Cap: 4},
		Deleted: tally.Table[Latest]{Cap: maxDeleted}, Nodes: tally.Sample[Node]{K: maxNodes},
	}
}

// Observe takes in an event.
func (s *State) Observe(e *audit.Event) { s.observe(e, 1) }

// Close takes in what was left out: a wait may have begun before --since, and go on after
// --until.
func (s *State) Close(e *audit.Event) { s.observe(e, 0) }

// observe takes in an event; own is 1, or 0 if it was left out.
func (s *State) observe(e *audit.Event, own int64) {
	switch {
	case e.Subresource == subEviction && e.Code == 429:
		add(&s.Refused, e, own)
		s.Users.Add(e.Actor().String())
		if name := budget(e); len(name) > 0 {
			s.Budgets.AddBytes(name)
		}
	case e.Subresource == subEviction:
		add(&s.Evicted, e, own)
	case e.Verb == audit.VerbDelete:
		var room [256]byte
		name := append(append(append(room[:0], e.Namespace.String()...), '/'), e.Name...)
		if last := s.Deleted.AtBytes(name); last != nil {
			*last = max(*last, Latest(e.Began()))
		}
	default:
		s.observeNode(e)
	}
}

func add(cells *tally.Cells[Minute], e *audit.Event, own int64) {
	m := cells.At(e.Began())
	if m.N == 0 || e.CompareRef(&m.Ref) < 0 {
		m.Ref = e.Ref()
	}
	m.N++
	m.Own += own
	m.At.Add(e.Began())
}

func (s *State) observeNode(e *audit.Event) {
	began := e.Began()
	s.Nodes.Offer(
		func(kept *Node) int { return cmp.Or(cmp.Compare(kept.At, began), e.CompareRef(&kept.Ref)) },
		func() Node { return Node{began, string(e.Name), e.Ref()} },
	)
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Refused.Merge(&o.Refused)
	s.Evicted.Merge(&o.Evicted)
	s.Users.Merge(&o.Users)
	s.Budgets.Merge(&o.Budgets)
	s.Deleted.Merge(&o.Deleted)
	s.Nodes.Merge(&o.Nodes)
}

// A wait is a time in which a pod was refused, and not evicted.
type wait struct {
	tally.Span
	n     int64
	own   int64 // of these, not left out
	marks []analysis.Mark
	refs  []audit.Ref // of the first refusal in each minute
}

// givenUp is after how long a client that comes back begins another drain: a controller
// that goes on backs off for some minutes.
const givenUp = 10 * time.Minute

// longest returns the longest wait, of those that were not left out whole.
func (s *State) longest() (long wait) {
	var now wait
	for _, c := range s.Refused.List {
		at := c.Value.At
		if now.n > 0 && (at.First.Sub(now.Last) > givenUp || s.evictedIn(now.Last, at.First)) {
			now = wait{}
		}
		now.Merge(at)
		now.n += c.Value.N
		now.own += c.Value.Own
		now.refs = append(now.refs, c.Value.Ref)
		now.marks = append(now.marks, analysis.Mark{Kind: "refused", From: at.First, To: at.Last, N: int(c.Value.N)})
		if now.own > 0 && (long.n == 0 || now.Len() > long.Len()) {
			long = now
		}
	}
	return long
}

// evictedIn reports whether the pod was evicted, or gone, at a time.
func (s *State) evictedIn(from, to audit.Time) bool {
	for _, c := range s.Evicted.List {
		if c.Value.At.First <= to && from <= c.Value.At.Last {
			return true
		}
	}
	return false
}
