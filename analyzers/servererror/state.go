package servererror

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxMinutes is how many minutes are told apart; more are joined. A state is
// bounded by some 40 KiB.
const maxMinutes = 256

// What is asked for is counted for up to maxAsked verbs and resources, which is more than
// are in use at one time in most clusters, and the first toldAsked are told.
const (
	maxAsked  = 256
	toldAsked = 16
)

// A State is the failures of one cause.
type State struct {
	Minutes tally.Cells[Minute]      `json:"minutes"` // by receipt
	Asked   tally.Table[tally.Count] `json:"asked"`   // how many requests, by verb and resource
	Written tally.Set                `json:"written"` // group/resource of each write; "" stands for a read
	Users   tally.Set                `json:"users"`
	Said    tally.Set                `json:"said"`
	Called  tally.Set                `json:"called"` // hosts of webhooks
	Refs    tally.Refs               `json:"refs"`

	Changes tally.Sample[Change] `json:"changes"` // of a state of kindChange, which has nothing else
}

// A Minute counts the failures of a minute.
type Minute struct {
	Failed int64      `json:"failed"`
	At     tally.Span `json:"at"` // when these were received
}

// Plus returns the sum.
func (m Minute) Plus(o Minute) Minute {
	m.At.Merge(o.At)
	return Minute{m.Failed + o.Failed, m.At}
}

func newState() *State {
	return &State{
		Minutes: tally.Cells[Minute]{StepMicros: time.Minute.Microseconds(), Cap: maxMinutes},
		Asked:   tally.Table[tally.Count]{Cap: maxAsked}, Users: tally.Set{Cap: 16}, Said: tally.Set{Cap: 4}, Called: tally.Set{Cap: 4}, Refs: tally.Refs{K: 6}, Changes: tally.Sample[Change]{K: maxChanges},
	}
}

// Observe takes in a failure.
func (s *State) Observe(e *audit.Event) {
	if e.Wrote() {
		s.observeChange(e)
		return
	}
	m := s.Minutes.At(e.Began())
	m.Failed++
	m.At.Add(e.Began())
	s.Users.Add(e.Actor().String())
	s.ask(e)
	if said := reason(e.Message); len(said) > 0 {
		s.Said.AddBytes(said)
	}
	if host := called(e.Message); len(host) > 0 {
		s.Called.AddBytes(host)
	}
	s.Refs.Add(e)
}

// mostAsked returns what requests asked for, that of most of them first.
func (s *State) mostAsked() []string {
	rows := s.Asked.Sorted()
	slices.SortStableFunc(rows, func(a, b tally.Row[tally.Count]) int { return cmp.Compare(b.Value, a.Value) })
	var texts []string
	for _, row := range rows {
		texts = append(texts, analysis.Plain(row.Name))
	}
	return texts
}

// ask keeps what was asked for.
func (s *State) ask(e *audit.Event) {
	var room [128]byte
	text := append(room[:0], e.Verb.String()...)
	text = append(append(text, ' '), e.Resource.String()...)
	if e.Group != (audit.Sym{}) {
		text = append(append(text, '.'), e.Group.String()...)
	}
	if e.Subresource != (audit.Sym{}) {
		text = append(append(text, '/'), e.Subresource.String()...)
	}
	if n := s.Asked.AtBytes(text); n != nil {
		*n++
	}
	if !e.IsWrite() {
		s.Written.Add("")
		return
	}
	text = append(append(text[:0], e.Group.String()...), '/')
	s.Written.AddBytes(append(text, e.Resource.String()...))
}

// maxSaid is how much of a message is kept.
const maxSaid = 120

// reason returns the part of a message that is the same in all of one cause: what
// follows the address that was called, or the key that was read; else all of it.
func reason(message []byte) []byte {
	message = bytes.TrimPrefix(message, []byte("Internal error occurred: "))
	if at := bytes.LastIndex(message, []byte(`": `)); at >= 0 {
		message = message[at+len(`": `):]
	}
	return message[:min(len(message), maxSaid)]
}

var (
	textHTTPS = []byte(`"https://`)
	textPort  = []byte(":443")
)

// called returns the host that the API server called in vain, without its port if that
// is the usual one: of a webhook with a Service, NAME.NAMESPACE.svc.
func called(message []byte) []byte {
	_, address, found := bytes.Cut(message, textHTTPS)
	end := bytes.IndexAny(address, `/?"`)
	if !found || end < 0 || end > maxName {
		return nil
	}
	return bytes.TrimSuffix(address[:end], textPort)
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Minutes.Merge(&o.Minutes)
	s.Asked.Merge(&o.Asked)
	s.Written.Merge(&o.Written)
	s.Users.Merge(&o.Users)
	s.Said.Merge(&o.Said)
	s.Called.Merge(&o.Called)
	s.Refs.Merge(&o.Refs)
	s.Changes.Merge(&o.Changes)
}

// barred reports whether only writes failed, and none of what was to be written took
// effect meanwhile.
func (s *State) barred(p *analysis.Pass, span tally.Span) bool {
	if !s.Written.Exact() || s.Written.Has("") {
		return false
	}
	for _, text := range s.Written.Members() {
		group, resource, _ := strings.Cut(text, "/")
		scope := analysis.Scope{Group: audit.Intern(group), Resource: audit.Intern(resource)}
		if _, all := p.Facts.Writers(scope); !all || p.Facts.ChangesWithin(scope, span.First, span.Last)+p.Facts.UpdatesWithin(scope, span.First, span.Last) > 0 {
			return false
		}
	}
	return true
}

// failures are those of a state that count, in all and in its worst window.
type failures struct {
	all, worst int64
	enough     bool          // for a warning, in the worst window
	longest    time.Duration // how long those of a window with enough of them last, at most
	outages    int           // that no window has in common
	span       tally.Span    // of all
}

// count returns what failed, but for what failed because an API server had just
// started. Of minutes that were joined to steps longer than the window, a share of
// the step counts.
func (s *State) count(starts []audit.Time, window time.Duration, enough int64) (f failures) {
	cells := slices.DeleteFunc(slices.Clone(s.Minutes.List), func(c tally.Cell[Minute]) bool { return analysis.StartingUp(starts, c.Value.At) })
	step := s.Minutes.Step()
	for w := range tally.Windows(cells, step, window, func(m *Minute) int64 { return m.Failed }) {
		c := &cells[w.Last]
		if w.Last == 0 || time.Duration(c.Index-cells[w.Last-1].Index)*step > max(window, step) {
			f.outages++
		}
		f.all += c.Value.Failed
		f.span.Merge(c.Value.At)
		f.worst = max(f.worst, w.Sum)
		if w.Sum >= enough {
			f.enough = true
			f.longest = max(f.longest, c.Value.At.Last.Sub(cells[w.First].Value.At.First))
		}
	}
	return f
}
