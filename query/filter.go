// Package query holds what the commands share that answer questions: which
// events a user asks for, and the names that users have for things.
//
//	Filter, the values of flags -> Condition, compiled -> a Matcher for each worker
package query

import (
	"sync"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Filter is what a user asks for. An event is chosen if it has what every
// field that is set asks for. Of several values of a field any will do, and
// none of those that begin with "!" may fit; * stands for any text in a value,
// and /re/ is a regular expression. Values may be joined by commas, but for
// agents, which hold some. What an event lacks is an empty text, which no * and
// no expression fits; an empty value is a mistake. What a stage can't know yet
// is not lacking: it fits no value, negated or not, so that each request is
// chosen by what is known of it in the end.
type Filter struct {
	Verbs, Resources, Subresources, Namespaces, Names []string
	Users, As, UserAgents, SourceIPs                  []string
	Codes, Stages, Levels, AuditIDs                   []string

	Since, Until audit.Time // zero is open; both ends belong to it
	SlowerThan   time.Duration
	Failed       bool
	LongRunning  bool
}

// A test is a condition on one field of events. Tests that remember verdicts
// are for one goroutine.
type test func(*audit.Event) bool

// A Condition is a Filter that was understood. Workers share it, each through
// a matcher of its own.
type Condition struct {
	parts []part // in order: what costs least comes first

	mu       sync.Mutex
	matchers []*matcher // that were made
}

// Compile understands the filter. An error is a *ValueError.
func (f Filter) Compile() (*Condition, error) {
	c := &Condition{}
	c.plain(&f)
	for _, add := range []func() error{
		func() error { return c.addWords("--stage", f.Stages, knownStages(), stageName) },
		func() error { return c.addWords("--level", f.Levels, knownLevels(), levelName) },
		func() error { return c.addLate(unanswered, func() error { return c.addCodes(f.Codes) }) },
		func() error { return c.addVerbs(f.Verbs) },
		func() error { return c.addResources(f.Resources) },
		func() error { return c.addSyms("--subresource", split(f.Subresources), subresource) },
		func() error { return c.addSyms("--namespace", split(f.Namespaces), namespace) },
		func() error { return c.addSyms("--user", split(f.Users), user) },
		func() error { return c.addLate(unanswered, func() error { return c.addSyms("--as", split(f.As), as) }) },
		func() error { return c.addSyms("--user-agent", f.UserAgents, userAgent) },
		func() error { return c.addAddresses(split(f.SourceIPs)) },
		func() error {
			return c.addLate(unnamed, func() error { return c.addText("--name", split(f.Names), name) })
		},
		func() error { return c.addText("--audit-id", split(f.AuditIDs), auditID) },
	} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Everything reports whether every event is chosen.
func (c *Condition) Everything() bool { return len(c.parts) == 0 }

// Matcher returns what decides which events are chosen. It is for one
// goroutine: it remembers what it found of each name, so that an expression
// runs once a name and not once an event.
func (c *Condition) Matcher() func(*audit.Event) bool {
	m := c.newMatcher()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.matchers = append(c.matchers, m)
	return m.matches
}

// add adds a test that remembers nothing.
func (c *Condition) add(flag string, values []string, t test) {
	c.parts = append(c.parts, part{flag, values, func(*fitting) test { return t }})
}

// addLate adds a condition on what is not yet known of some events, which then
// don't fit it.
func (c *Condition) addLate(unknown func(*audit.Event) bool, add func() error) error {
	n := len(c.parts)
	err := add()
	for i := range c.parts[n:] {
		p := &c.parts[n+i]
		of := p.make
		p.make = func(f *fitting) test {
			fits := of(f)
			return func(e *audit.Event) bool { return !unknown(e) && fits(e) }
		}
	}
	return err
}

// unanswered reports whether the event was written before its request was
// answered: that has no code, and whom its sender impersonates is looked at later.
func unanswered(e *audit.Event) bool { return e.Stage == audit.StageRequestReceived }

// unnamed reports whether the event may be of an object whose name only the
// request's end tells: a client sends it in the body, or the API server makes it.
func unnamed(e *audit.Event) bool {
	return e.Stage == audit.StageRequestReceived && len(e.Name) == 0 && e.Verb == audit.VerbCreate && e.Subresource == audit.Sym{}
}

// plain adds what compares numbers.
func (c *Condition) plain(f *Filter) {
	if since := f.Since; since != 0 {
		c.add("--since", []string{since.String()}, func(e *audit.Event) bool { return e.At >= since })
	}
	if until := f.Until; until != 0 {
		c.add("--until", []string{until.String()}, func(e *audit.Event) bool { return e.At <= until })
	}
	if f.Failed {
		c.add("--failed", nil, Failed)
	}
	if f.LongRunning {
		c.add("--long-running", nil, (*audit.Event).LongRunning)
	}
	if d := f.SlowerThan; d > 0 {
		long := f.LongRunning
		c.add("--slower-than", []string{d.String()}, func(e *audit.Event) bool {
			took, ok := e.Latency()
			return ok && took > d && (long || !e.LongRunning())
		})
	}
}

// Failed reports whether the event says that its request failed: an error
// code, or a panic of its handler.
func Failed(e *audit.Event) bool { return e.Code >= 400 || e.Stage == audit.StagePanic }

func subresource(e *audit.Event) audit.Sym { return e.Subresource }
func namespace(e *audit.Event) audit.Sym   { return e.Namespace }
func user(e *audit.Event) audit.Sym        { return e.User }
func as(e *audit.Event) audit.Sym          { return e.As }
func userAgent(e *audit.Event) audit.Sym   { return e.UserAgent }
func name(e *audit.Event) audit.View       { return e.Name }
func auditID(e *audit.Event) audit.View    { return e.AuditID }
