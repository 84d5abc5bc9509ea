package analysis

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Pass is what a State reports to. It holds the state's key, the thresholds, and the
// facts of the whole log.
type Pass struct {
	Analyzer *Analyzer
	Key      Key    // whose state reports; empty in Group
	Facts    *Facts // never nil

	settings map[string]any
	findings []Finding
}

// Report adds a finding. It sets the finding's Analyzer and, if empty, its Subject; the
// shard later sets the ID and replaces nil lists by empty ones.
func (p *Pass) Report(f Finding) {
	f.Analyzer = p.Analyzer.Name
	if f.Subject == (Subject{}) {
		f.Subject = p.Key.Subject()
	}
	p.findings = append(p.findings, f)
}

// grouped returns the findings that were reported, as the analyzer's Group joins them.
func (p *Pass) grouped() []Finding {
	SortFindings(p.findings)
	if p.Analyzer.Group == nil {
		return p.findings
	}
	p.Key = Key{}
	found := p.Analyzer.Group(p, p.findings)
	for i := range found {
		found[i].Analyzer = p.Analyzer.Name
	}
	return found
}

// Int returns the value of an option whose default is an int.
func (p *Pass) Int(option string) int { return value[int](p, option) }

// Float returns the value of an option whose default is a float64.
func (p *Pass) Float(option string) float64 { return value[float64](p, option) }

// Bool returns the value of an option whose default is a bool.
func (p *Pass) Bool(option string) bool { return value[bool](p, option) }

// Duration returns the value of an option whose default is a duration.
func (p *Pass) Duration(option string) time.Duration { return value[time.Duration](p, option) }

func value[T any](p *Pass, option string) T {
	if v, ok := p.settings[option]; ok {
		return v.(T)
	}
	for i := range p.Analyzer.Options {
		if o := &p.Analyzer.Options[i]; o.Name == option {
			return o.Default.(T)
		}
	}
	panic(fmt.Sprintf("analyzer %s asks for its option %q, which it does not have", p.Analyzer.Name, option))
}

// blindInPart says why an analyzer with these needs can find only a part of what it is for
// in a log with these facts. A request of httplog counts as one with all stages.
func (n Needs) blindInPart(f *Facts) (why []string) {
	if f.HTTPLog == f.Events || n.blind(f) != "" {
		return nil
	}
	for _, part := range n.Parts {
		if lacks := f.Seen.lacks(part.Sees); lacks != "" {
			why = append(why, lacks+", so "+part.Unseen)
			continue
		}
		var missing []string
		for _, stage := range part.Stages {
			if f.Stages[stage] == 0 {
				missing = append(missing, stage.String())
			}
		}
		if len(missing) > 0 && len(missing) == len(part.Stages) {
			why = append(why, fmt.Sprintf("no %s in this log, so %s", strings.Join(missing, " or "), part.Unseen))
		}
	}
	return why
}

// blind says why an analyzer with these needs can find nothing in a log with these
// facts; "" if it can.
func (n Needs) blind(f *Facts) string {
	if f.Events == 0 {
		return ""
	}
	for _, stage := range n.Stages {
		if f.Stages[stage] == 0 && !(n.HTTPLogEnds && stage == audit.StageResponseComplete && f.sessionsTold()) {
			return fmt.Sprintf("no %s in this log", stage)
		}
	}
	if n.Level > audit.LevelMetadata && !f.hasLevel(n.Level) {
		return fmt.Sprintf("nothing is recorded at level %s or above", n.Level)
	}
	if n.User && f.namesNoUser() {
		return "its requests come from httplog, which names no user"
	}
	if n.Names && !f.hasLevel(audit.LevelMetadata) { // the legacy format tells no level either
		return "its format has no names of created objects"
	}
	if n.SubSecond && f.Coarse == f.Events && !(n.OrBeginnings && f.Begun > 0) {
		return "its events have times of whole seconds, or only one time each"
	}
	if n.Seconds && f.Coarse == f.Events && f.Lasting == 0 {
		return "its events have only one time each"
	}
	return f.Seen.lacks(n.Sees)
}
