package watchstall

import (
	"cmp"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	// grace is how long after its time a watch may end: a hundred times what
	// is seen of healthy ones (0.09 s), since a slow reader may keep the last
	// write waiting for seconds.
	grace = 10 * time.Second

	// A server that ends watches without progress does so after 30 s
	// (kubernetes 141899).
	noProgress   = 30 * time.Second
	noProgressBy = 32 * time.Second
)

// How much a state keeps: of up to maxScopes scopes some kilobyte each, and of
// each that has watches for the whole state up to openCells steps of 40.
const (
	maxScopes = 64
	openCells = 64
)

// A State is what is known of one client's watches.
type State struct {
	Scopes tally.Table[Watches] `json:"scopes"` // by scopeName
}

func newState() *State { return &State{tally.Table[Watches]{Cap: maxScopes}} }

// Observe takes in a watch.
func (s *State) Observe(e *audit.Event) {
	key := analysis.WatchKey(e)
	var room [256]byte
	name := appendScope(room[:0], &key)
	if w := s.Scopes.At(analysis.NameOf(name)); w != nil {
		w.observe(e)
	}
}

// Close takes in a watch that was left out: it may end one that was not, or
// show that its client had read what it was sent.
func (s *State) Close(e *audit.Event) {
	initial := e.InitialEvents()
	if initial && !e.Final() {
		return
	}
	key := analysis.WatchKey(e)
	var room [256]byte
	w := s.Scopes.At(analysis.NameOf(appendScope(room[:0], &key)))
	if w == nil {
		return
	}
	if e.Final() {
		w.follow(e)
	}
	if !initial {
		w.Resumed.Add(e.Received)
		w.begin(e)
	}
}

// Merge takes in what another state of the same client knows.
func (s *State) Merge(o analysis.State) { s.Scopes.Merge(&o.(*State).Scopes) }

// Watches are one client's watches of one scope.
type Watches struct {
	Initial  int64             `json:"initial,omitempty"` // that asked for the whole state, and ended
	Open     tally.Cells[Flow] `json:"open"`              // these, over time
	EndedAt  tally.Span        `json:"endedAt"`           // when these ended
	First    tally.Refs        `json:"first"`             // the first of these
	Resumed  tally.Span        `json:"resumed"`           // when watches from a version were received
	CutShort int64             `json:"cutShort,omitempty"`

	Overdue int64              `json:"overdue,omitempty"` // outlived the time that they asked for
	Worst   tally.Sample[Late] `json:"worst"`             // of these
	Endless tally.Sample[Late] `json:"endless"`           // asked for no time: those that lived longest

	Running Running    `json:"running"`
	spare   *Open      `cache:"Running"` // of a watch that has ended, for the next one
	Newest  Newest     `json:"newest,omitzero"`
	Ends    int64      `json:"ends,omitempty"`
	Heard   tally.Span `json:"heard"`
}

func (w *Watches) observe(e *audit.Event) {
	w.follow(e)
	initial := e.InitialEvents()
	if e.Code >= 400 && e.Stage != audit.StagePanic { // a panic, or a hang-up, may end one that had begun
		if initial && e.Stage == audit.StageResponseComplete {
			w.Open.Cap = openCells
			w.Open.At(e.Received).Refused++
		}
		return
	}
	w.Heard.Add(e.At)
	if initial {
		w.beginInitial(e)
	} else {
		w.Resumed.Add(e.Received)
		w.begin(e)
	}
	if e.Final() {
		w.ended(e, initial)
	}
}

// beginInitial takes in a stage of a watch that asked for the whole state.
func (w *Watches) beginInitial(e *audit.Event) {
	w.Open.Cap, w.First.K = openCells, 8
	flow := w.Open.At(e.Received)
	switch e.Stage {
	case audit.StageRequestReceived:
		flow.Received++
	case audit.StageResponseStarted:
		flow.Started++
	default:
		flow.Known++
	}
	w.First.Add(e)
	if _, read := e.ResourceVersion(); read {
		w.Resumed.Add(e.Received) // client-go begins anew from what it has read, where its connection was lost
	}
}

// begin takes in from which version a watch began.
func (w *Watches) begin(e *audit.Event) {
	if rv, ok := e.ResourceVersion(); ok {
		w.Newest = w.Newest.Plus(Newest{rv, e.Received})
	}
}

// ended takes in the end of a watch: on time, overdue, or cut short by a server that ends
// watches without progress.
func (w *Watches) ended(e *audit.Event, initial bool) {
	w.Ends++
	lived := e.At.Sub(e.Received)
	asked, limited := e.TimeoutSeconds()
	if initial {
		w.Initial++
		w.EndedAt.Add(e.At)
		w.Open.At(e.At).Down++
		if lived >= noProgress && lived < noProgressBy && (!limited || asked > 2*noProgress) {
			w.CutShort++
		}
	}
	switch {
	case !limited:
		w.Endless.K = 4
		offer(&w.Endless, e, lived, 0)
	case lived > asked+grace:
		w.Overdue++
		w.Worst.K = 4
		offer(&w.Worst, e, lived-asked, asked)
	}
}

// Plus returns what is known of both.
func (w Watches) Plus(o Watches) Watches {
	w.Initial += o.Initial
	w.Open.Merge(&o.Open)
	w.EndedAt.Merge(o.EndedAt)
	w.First.Merge(&o.First)
	w.Resumed.Merge(o.Resumed)
	w.CutShort += o.CutShort
	w.Overdue += o.Overdue
	w.Worst.Merge(&o.Worst)
	w.Endless.Merge(&o.Endless)
	w.Running.merge(o.Running)
	w.Newest = w.Newest.Plus(o.Newest)
	w.Ends += o.Ends
	w.Heard.Merge(o.Heard)
	return w
}

// A Flow is how many watches began within a step, as each stage tells it, and
// how many ended. A policy may leave a stage out.
type Flow struct {
	Received int64 `json:"received,omitempty"`
	Started  int64 `json:"started,omitempty"`
	Known    int64 `json:"known,omitempty"`   // from their ends
	Refused  int64 `json:"refused,omitempty"` // of Received
	Down     int64 `json:"down,omitempty"`
}

// Plus returns the sum.
func (f Flow) Plus(o Flow) Flow {
	return Flow{f.Received + o.Received, f.Started + o.Started, f.Known + o.Known, f.Refused + o.Refused, f.Down + o.Down}
}

func (f *Flow) up() int64 { return max(f.Received-f.Refused, f.Started, f.Known) }

// A Late is a watch that lived for Over longer than it had asked for.
type Late struct {
	Over  time.Duration `json:"over"`
	Asked time.Duration `json:"asked,omitempty"`
	Ref   audit.Ref     `json:"ref"`
	From  audit.Time    `json:"from"`

	WentOn bool `json:"wentOn,omitempty"` // see Watches.wentOn; of one that has not ended
}

// Compare puts what is most overdue first.
func (l Late) Compare(o Late) int {
	return cmp.Or(cmp.Compare(o.Over, l.Over), l.Ref.Compare(o.Ref))
}

func offer(s *tally.Sample[Late], e *audit.Event, over, asked time.Duration) {
	s.Offer(
		func(kept *Late) int { return cmp.Or(cmp.Compare(kept.Over, over), e.CompareRef(&kept.Ref)) },
		func() Late { return Late{Over: over, Asked: asked, Ref: e.Ref(), From: e.Received} },
	)
}

// appendScope names a scope within a client's.
func appendScope(b []byte, key *analysis.Key) []byte {
	for _, part := range []string{key.Group.String(), key.Resource.String(), key.Namespace.String(), key.Name} {
		b = append(append(b, part...), 0)
	}
	return append(b, key.Selector.String()...)
}

// withScope returns the client's key with a scope that appendScope named.
func withScope(client analysis.Key, name string) analysis.Key {
	parts := strings.SplitN(name, "\x00", 5)
	client.Group, client.Resource = audit.Intern(parts[0]), audit.Intern(parts[1])
	client.Namespace, client.Name = audit.Intern(parts[2]), parts[3]
	client.Selector = audit.Intern(parts[4])
	return client
}
