// Package query holds what the commands that answer questions share: the filter
// for the events that a user asks for, the words that users have for resources,
// and events in words.
//
//	Filter, the values of flags -> Condition, compiled -> a Matcher for each worker
package query

import (
	"slices"
	"sync"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Filter chooses events. An event must match every field that is set: one of
// the field's values, and none of those that begin with "!". In a value * stands
// for any text, and /re/ is a regular expression. A value may hold several,
// joined by commas, except for user agents, which may contain commas.
//
// A field that an event lacks is empty, and neither * nor a regular expression
// matches it; an empty value is an error. A field that a stage of a request
// can't know yet, such as the code in RequestReceived, matches no value,
// negated or not, so that a request is chosen by what is known at its end.
type Filter struct {
	Verbs, Resources, Subresources, Namespaces, Names []string
	Users, As, UserAgents, SourceIPs                  []string
	Codes, Stages, Levels, AuditIDs                   []string

	Since, Until audit.Time    // both included; zero is open
	SlowerThan   time.Duration // of requests that are not long-running, unless LongRunning is set; 0 is any
	Failed       bool          // only requests that failed; see the function
	LongRunning  bool          // only watches, sessions and the like
}

// A test is a condition on one field of events. Some tests remember what they
// found, so each is for one goroutine.
type test func(*audit.Event) bool

// A Condition is a compiled Filter. Workers share it, each with a matcher of its
// own.
type Condition struct {
	parts []part // the cheapest first

	mu       sync.Mutex
	matchers []*matcher // that were made
}

// Compile compiles the filter. An error is a *ValueError.
func (f Filter) Compile() (*Condition, error) {
	c := &Condition{}
	c.addNumbers(&f)
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

// Flags returns the flags that choose, each once.
func (c *Condition) Flags() (flags []string) {
	for _, p := range c.parts {
		if !slices.Contains(flags, p.flag) {
			flags = append(flags, p.flag)
		}
	}
	return flags
}

// Matcher returns a function that reports whether an event is chosen. It is for
// one goroutine: it remembers its result for each name, so that an expression
// runs once per name and not per event.
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

// addLate calls add, and makes the conditions that it adds fail for events of
// which the field is not known yet.
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
// answered: it has no code, and does not say yet whom the sender impersonates.
func unanswered(e *audit.Event) bool { return e.Stage == audit.StageRequestReceived }

// unnamed reports whether the event may be about an object whose name only the
// request's end tells: the client sent it in the body, or the API server made it.
func unnamed(e *audit.Event) bool {
	return e.Stage == audit.StageRequestReceived && len(e.Name) == 0 && e.Verb == audit.VerbCreate && e.Subresource == audit.Sym{}
}

// addNumbers adds the conditions that compare numbers.
func (c *Condition) addNumbers(f *Filter) {
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
