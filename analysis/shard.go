package analysis

import (
	"encoding/json"
	"fmt"

	"github.com/kaudit/kaudit/audit"
)

// A Shard holds what was seen of a log, or of a part of it: the states of each analyzer by
// key, and the facts. It is for one goroutine at a time, except through a [Feed]. Shards of
// one log may be merged in any order.
type Shard struct {
	analyzers []*Analyzer
	books     []book // by index of analyzer
	facts     *Facts
	lanes     []lane // see feed.go
	feed      *Feed  // for Observe; made when it is needed

	standIns map[string]*Shard // by log of httplog: see standin.go
}

// NewShard returns an empty shard for these analyzers.
func NewShard(analyzers []*Analyzer) *Shard {
	s := &Shard{
		analyzers: analyzers, books: make([]book, len(analyzers)), facts: NewFacts(),
		lanes: make([]lane, firstAnalyzer+len(analyzers)),
	}
	for i := range s.books {
		s.books[i] = newBook(maxKeys)
	}
	return s
}

// Observe takes in an event. selected is false for one that --since, --until
// or --where left out: it counts for the facts of the log, and may end a
// request that another event began.
func (s *Shard) Observe(e *audit.Event, selected bool) {
	if e.Origin != audit.OriginAudit {
		s.observeOwn(e, selected)
		return
	}
	s.take(e, selected)
}

// take takes in a request, of an audit event or of httplog.
func (s *Shard) take(e *audit.Event, selected bool) {
	if s.feed == nil {
		s.feed = s.NewFeed()
	}
	class, row := e.Classify(), s.feed.rows.of(e)
	s.facts.observe(e, selected, row)
	for _, stop := range s.feed.router.to(class) {
		s.feed.give(e, selected, row, stop)
	}
}

// Merge takes in what o has seen. o must have the same analyzers, and is not
// used again.
func (s *Shard) Merge(o *Shard) {
	s.facts.Merge(o.facts)
	for i := range s.books {
		s.books[i].merge(&o.books[i])
	}
	s.mergeStandIns(o)
}

// Facts returns the facts of the log so far.
func (s *Shard) Facts() *Facts { return s.facts }

// A Blind is an analyzer that can find nothing in a log, or only a part of its findings,
// since the log lacks what it needs.
type Blind struct {
	Analyzer string `json:"analyzer"`
	Why      string `json:"why"`
	InPart   bool   `json:"inPart,omitempty"` // it finds the rest
}

// Blind returns the analyzers that can find nothing, or only a part, in order of name.
func (s *Shard) Blind() []Blind {
	blind := []Blind{}
	for _, a := range s.analyzers {
		if why := a.Needs.blind(s.facts); why != "" {
			blind = append(blind, Blind{Analyzer: a.Name, Why: why})
		}
		for _, why := range a.Needs.blindInPart(s.facts) {
			blind = append(blind, Blind{Analyzer: a.Name, Why: why, InPart: true})
		}
	}
	return blind
}

// Overflow returns, by analyzer, an estimate of how many keys were dropped because there
// were more than a shard keeps. Analyzers that dropped none are absent.
func (s *Shard) Overflow() map[string]int {
	over := map[string]int{}
	for i, a := range s.analyzers {
		if n := s.books[i].overflow(); n > 0 {
			over[a.Name] = n
		}
	}
	return over
}

// Findings asks every state for its findings and returns them in canonical
// order. It does not change the shard.
func (s *Shard) Findings(settings Settings) []Finding {
	all, _, _ := s.findings(settings, func() bool { return false }, inTurn, false)
	return all
}

// Conclude is like Findings, but ends the shard: it releases each state that has reported,
// so that the findings can use its memory. It ends early if stop returns true: whole is
// false then, and all is what was found until then. more counts, by analyzer, the findings
// beyond the limit, which are left out. Analyzers do not wait for each other: spread calls
// do with each number below n, and may do so side by side, as stop is then called.
func (s *Shard) Conclude(settings Settings, stop func() bool, spread func(n int, do func(int))) (all []Finding, more map[string]int, whole bool) {
	return s.findings(settings, stop, spread, true)
}

// inTurn calls do with each number below n.
func inTurn(n int, do func(int)) {
	for i := range n {
		do(i)
	}
}

// findings is Conclude if last is set, else Findings.
func (s *Shard) findings(settings Settings, stop func() bool, spread func(n int, do func(int)), last bool) (all []Finding, more map[string]int, whole bool) {
	s.facts.settle()
	results := make([]concluded, len(s.analyzers))
	spread(len(results), func(i int) { results[i] = s.conclude(i, settings, stop, last) })
	more, whole = map[string]int{}, true
	for i, r := range results {
		all = append(all, r.found...)
		if r.more > 0 {
			more[s.analyzers[i].Name] = r.more
		}
		whole = whole && !r.stopped
	}
	SortFindings(all)
	s.facts.sayUnnamed(all)
	finish(all)
	return all, more, whole
}

// concluded is what an analyzer has found.
type concluded struct {
	found   []Finding // in no order
	more    int       // how many findings beyond a limit were left out
	stopped bool      // not all states were asked
}

// conclude asks the states of an analyzer for their findings.
func (s *Shard) conclude(at int, settings Settings, stop func() bool, last bool) (c concluded) {
	a := s.analyzers[at]
	if a.Needs.blind(s.facts) != "" {
		return c // what it needs is not there, and what it saw may be wrong
	}
	p := &Pass{Analyzer: a, Facts: s.facts, settings: settings[a.Name]}
	c.stopped = !s.books[at].report(p, stop, last)
	found := p.grouped()
	c.found = keepWorst(found)
	c.more = len(found) - len(c.found)
	return c
}

// finish gives findings, which are in canonical order, their ids, bounds their texts, and
// makes nil lists empty ones, so that JSON has [] and not null.
func finish(findings []Finding) {
	taken := map[string]bool{}
	for i := range findings {
		f := &findings[i]
		for nth := 0; ; nth++ {
			if f.setID(nth); !taken[f.ID] {
				break
			}
		}
		taken[f.ID] = true
		f.bound()
		f.Evidence = orEmpty(f.Evidence)
		f.Marks = orEmpty(f.Marks)
		f.Caveats = orEmpty(f.Caveats)
		f.Related = orEmpty(f.Related)
		if f.Details == nil {
			f.Details = Details{}
		}
	}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// savedShard is a shard's serial form. States are in order of their keys, so
// that equal shards have equal forms.
type savedShard struct {
	Facts *Facts                  `json:"facts"`
	Books map[string][]savedState `json:"books"` // by analyzer
	// Below has, by analyzer, the least hash of the keys that were dropped, if any: they
	// must not come back with only a part of their events.
	Below map[string]uint64 `json:"below,omitempty"`

	StandIns map[string]json.RawMessage `json:"standIns,omitempty"` // by log
}

type savedState struct {
	Key   Key             `json:"key"`
	State json.RawMessage `json:"state"`
}

// MarshalJSON writes all that the shard has seen.
func (s *Shard) MarshalJSON() ([]byte, error) {
	saved := savedShard{s.facts, map[string][]savedState{}, map[string]uint64{}, nil}
	for i, a := range s.analyzers {
		for _, key := range s.books[i].sorted() {
			state, _ := s.books[i].get(key)
			raw, err := json.Marshal(state)
			if err != nil {
				return nil, fmt.Errorf("save a state of %s: %w", a.Name, err)
			}
			saved.Books[a.Name] = append(saved.Books[a.Name], savedState{key, raw})
		}
		if !s.books[i].exact() {
			saved.Below[a.Name] = s.books[i].below
		}
	}
	var err error
	if saved.StandIns, err = s.saveStandIns(); err != nil {
		return nil, err
	}
	return json.Marshal(saved)
}

// UnmarshalJSON reads into a new shard what a shard with the same analyzers has written.
func (s *Shard) UnmarshalJSON(b []byte) error {
	saved := savedShard{Facts: NewFacts()}
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("read a shard: %w", err)
	}
	s.facts, s.feed = saved.Facts, nil
	for i, a := range s.analyzers {
		for _, st := range saved.Books[a.Name] {
			state := s.books[i].state(st.Key, a.New)
			if err := json.Unmarshal(st.State, state); err != nil {
				return fmt.Errorf("read a state of %s: %w", a.Name, err)
			}
		}
		if below, full := saved.Below[a.Name]; full {
			s.books[i].lower(below)
		}
	}
	return s.readStandIns(saved.StandIns)
}
