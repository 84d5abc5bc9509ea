package query

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// A Misfit is a flag for which a filter chooses nothing.
type Misfit struct {
	Flag   string
	Values []string
	Alone  bool     // no event fits it; else none that fits the flags before does
	Near   []string // texts that the log has and that may have been meant, the nearest first
}

// A part is the test of one flag. make gets what is shown the texts that the
// flag's values don't fit.
type part struct {
	flag   string
	values []string
	make   func(*fitting) test
}

// A matcher is a condition for one goroutine. Until the first event is chosen
// it remembers what each part fits: then nobody asks for misfits.
type matcher struct {
	tests  []test
	states []fitting
	looked bool // at an event
	chosen bool // one
}

// A fitting is what one part fitted until now.
type fitting struct {
	alone, before bool // an event; one that fits the parts before, too
	reached       bool // the event that is looked at fits the parts before
	near          near
	done          *bool // something was chosen, so nobody asks
}

// looks reports whether texts are looked for.
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

// first is matches as long as nothing was chosen.
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

// Misfits returns why nothing was chosen by the condition's matchers, which
// must be done: the flags that no event fits, or the first one that none of the
// events fits that the flags before leave. It returns none where something was
// chosen, or nothing looked at.
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
