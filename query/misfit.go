package query

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// A Misfit is a flag because of which a filter chooses nothing.
type Misfit struct {
	Flag   string
	Values []string
	Alone  bool     // no event matches the flag; if false, none of those that match the flags before it do
	Near   []string // similar texts that the log has, the nearest first
}

// A part is the condition of one flag. make returns its test for one worker,
// which may show the fitting the texts that did not match.
type part struct {
	flag   string
	values []string
	make   func(*fitting) test
}

// A matcher is a condition for one goroutine. Until it has chosen an event it
// remembers what each part has matched; afterwards nobody asks for misfits.
type matcher struct {
	tests  []test
	states []fitting
	looked bool // it has seen an event
	chosen bool // it has chosen an event
}

// A fitting is what one part has matched so far.
type fitting struct {
	alone   bool // an event matched
	before  bool // an event matched that matched the parts before as well
	reached bool // the current event matches the parts before
	near    near
	done    *bool // the matcher has chosen an event, so nobody will ask
}

// looks reports whether similar texts are still looked for.
func (s *fitting) looks() bool { return !*s.done && len(s.near.values) > 0 }

func (c *Condition) newMatcher() *matcher {
	m := &matcher{tests: make([]test, len(c.parts)), states: make([]fitting, len(c.parts))}
	for i, p := range c.parts {
		s := &m.states[i]
		s.near, s.done = newNear(p.values), &m.chosen
		m.tests[i] = p.make(s)
	}
	return m
}

// matches reports whether the event is chosen.
func (m *matcher) matches(e *audit.Event) bool {
	if !m.chosen {
		return m.first(e)
	}
	for _, t := range m.tests {
		if !t(e) {
			return false
		}
	}
	return true
}

// first does what matches does, until an event is chosen.
func (m *matcher) first(e *audit.Event) bool {
	m.looked = true
	all := true
	for i, t := range m.tests {
		s := &m.states[i]
		s.reached = all
		fits := t(e)
		s.alone = s.alone || fits
		all = all && fits
		s.before = s.before || all
	}
	m.chosen = all
	return all
}

// Misfits returns why the condition's matchers chose nothing: the flags that no
// event matches or, if there are none, the first flag that matches none of the
// events that the flags before it leave. The matchers must have seen all
// events. It returns nil if something was chosen, or no event was seen.
func (c *Condition) Misfits() []Misfit {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]fitting, len(c.parts))
	looked := false
	for _, m := range c.matchers {
		if m.chosen {
			return nil
		}
		looked = looked || m.looked
		for i := range m.states {
			s := &m.states[i]
			all[i].alone = all[i].alone || s.alone
			all[i].before = all[i].before || s.before
			all[i].near.merge(&s.near)
		}
	}
	if !looked {
		return nil
	}
	var misfits []Misfit
	for i, p := range c.parts {
		if !all[i].alone {
			misfits = append(misfits, Misfit{p.flag, p.values, true, all[i].near.texts()})
		}
	}
	if len(misfits) > 0 {
		return misfits
	}
	if i := slices.IndexFunc(all, func(s fitting) bool { return !s.before }); i >= 0 {
		return []Misfit{{c.parts[i].flag, c.parts[i].values, false, all[i].near.texts()}}
	}
	return nil
}
