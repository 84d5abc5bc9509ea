package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// whyNone says which of the flags that choose events let nothing through, and
// what the user may have meant. noun is what c chooses, such as "event". why is
// empty if that is not known.
func (f *filterFlags) whyNone(c *query.Condition, noun string, in *driver.Input) (why, hint string) {
	if c == nil {
		return "", ""
	}
	misfits := c.Misfits()
	if len(misfits) == 0 {
		if f.condition != nil && f.condition.failed == 0 {
			return "--where is true of none", ""
		}
		return "", ""
	}
	var flags, meant []string
	for _, m := range misfits {
		flag := withValues(&m)
		if m.Flag == "--since" || m.Flag == "--until" {
			return fmt.Sprintf("the log is of %s to %s", in.First, in.Last), ""
		}
		flags = append(flags, flag)
		if len(m.Near) > 0 {
			meant = append(meant, m.Flag+" "+orList(quoted(&m)))
		}
	}
	why = fmt.Sprintf("no %s fits %s", noun, strings.Join(flags, ", and none "))
	if !misfits[0].Alone {
		why = fmt.Sprintf("each flag fits some, but %s fits none of what the others leave", flags[0])
	}
	switch key := strings.TrimPrefix(misfits[0].Flag, "--"); {
	case key == "slower-than" && !f.filter.LongRunning:
		hint = "watches and other long-running requests need --long-running"
	case len(meant) > 0:
		hint = "did you mean " + strings.Join(meant, ", and ") + "?"
	case misfits[0].Alone && slices.Contains([]string{"user", "namespace", "resource", "verb", "user-agent", "code", "subresource", "level", "name"}, key):
		hint = fmt.Sprintf(`"kaudit top %s" lists those that the log has`, key)
	}
	return why, hint
}

// withValues returns a flag and its values, as they were given.
func withValues(m *query.Misfit) string {
	if len(m.Values) == 0 {
		return m.Flag
	}
	return m.Flag + " " + strings.Join(m.Values, ",")
}

// quoted returns what may have been meant, quoted for a shell. For user agents
// that begin with the given value it is one pattern, since they differ only in
// platform and commit.
func quoted(m *query.Misfit) []string {
	var words []string
	for _, near := range m.Near {
		for _, v := range m.Values {
			if m.Flag == "--user-agent" && strings.HasPrefix(near, v+"/") {
				near = v + "/*"
			}
		}
		if word := report.ShellWord(near); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// sayNoneChosen says that the flags choose no event, and why.
func (f *filterFlags) sayNoneChosen(v voice, in *driver.Input) {
	why, hint := f.whyNone(f.chosen, "event", in)
	if why != "" {
		why = ": " + why
	}
	v.say("none of %d events is chosen%s", in.Events, why)
	v.hint("%s", hint)
}
