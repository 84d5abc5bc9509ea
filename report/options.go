package report

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
)

// Options say how a report is shown. The zero value is what a user gets without any
// flags.
type Options struct {
	// The minima of what is shown. If empty, they are warning and likely. They hold
	// for what people read and for --fail-on; JSON and YAML have every finding.
	MinSeverity   analysis.Severity
	MinConfidence analysis.Confidence

	Width int  // in columns of the terminal; 0 is 80
	Color bool // the output is a terminal that shows colours
	Wide  bool // the table also has subjects, evidence and caveats
	Quiet bool // no advice on what to type next

	// For the advice on what to type next:
	Program   string   // what the user types to call kaudit; empty is "kaudit"
	Command   string   // the command that shows the report; empty is "scan"
	Arguments []string // the command's arguments, as a rule files
}

const defaultWidth = 80

// minWidth is the least width that text is fitted to. In less, columns would be one
// letter wide.
const minWidth = 40

func (o Options) width() int {
	if o.Width <= 0 {
		return defaultWidth
	}
	return max(o.Width, minWidth)
}

// command is what a user types before a command's arguments.
func (o Options) command(name string) string { return cmp.Or(o.Program, "kaudit") + " " + name }

func (o Options) minSeverity() analysis.Severity { return cmp.Or(o.MinSeverity, analysis.Warning) }

func (o Options) minConfidence() analysis.Confidence { return cmp.Or(o.MinConfidence, analysis.Likely) }

// hijackedLatency is the analyzer whose findings are never hidden for their
// severity; see tooLow.
const hijackedLatency = "hijacked-latency"

// isLongSession reports whether a finding is about sessions that lived long, which is
// no fault by itself. Such findings have a section of their own.
func isLongSession(f *analysis.Finding) bool {
	return f.Analyzer == hijackedLatency && f.Severity == analysis.Info
}

// hides reports whether the minima hide f, and if so counts it in h.
func (o Options) hides(f *analysis.Finding, h *Hidden) bool {
	if f.Confidence.Rank() < o.minConfidence().Rank() {
		if f.Confidence == analysis.Possible {
			h.Possible++
		} else {
			h.Likely++
		}
		return true
	}
	if o.tooLow(f) {
		if f.Severity == analysis.Info {
			h.Info++
		} else {
			h.Warning++
		}
		return true
	}
	return false
}

// tooLow reports whether f's severity is below the minimum. A session's never is: info
// means only that it is no fault by itself, and the analyzer exists to list sessions.
func (o Options) tooLow(f *analysis.Finding) bool {
	return f.Severity.Rank() < o.minSeverity().Rank() && f.Analyzer != hijackedLatency
}

// Shown returns the findings that are not below the minima of o.
func (r *Report) Shown(o Options) []analysis.Finding {
	var shown []analysis.Finding
	var hidden Hidden
	for i := range r.Findings {
		if !o.hides(&r.Findings[i], &hidden) {
			shown = append(shown, r.Findings[i])
		}
	}
	return shown
}

// Only returns a report with only the findings that are not below the minima of o, and
// the incidents that these belong to. Hidden still counts the others.
func (r *Report) Only(o Options) *Report {
	shown := r.Shown(o)
	if len(shown) == len(r.Findings) {
		return r
	}
	there := map[string]bool{}
	for i := range shown {
		there[shown[i].ID] = true
	}
	gone := func(id string) bool { return !there[id] }
	for i := range shown {
		shown[i].Related = without(shown[i].Related, gone)
	}
	only := *r
	only.Findings, only.Incidents = []analysis.Finding{}, []incident.Incident{}
	only.Findings = append(only.Findings, shown...)
	for i := range r.Incidents {
		in := r.Incidents[i]
		if in.Findings = without(in.Findings, gone); len(in.Findings) > 0 {
			only.Incidents = append(only.Incidents, in)
		}
	}
	return &only
}

// without returns a new list, never nil, of the ids that are not gone.
func without(ids []string, gone func(string) bool) []string {
	return slices.DeleteFunc(append([]string{}, ids...), gone)
}

// Worst returns the worst severity of the findings, or "" if there are none:
// --fail-on compares its Rank.
func Worst(findings []analysis.Finding) analysis.Severity {
	var worst analysis.Severity
	for i := range findings {
		if s := findings[i].Severity; s.Rank() > worst.Rank() {
			worst = s
		}
	}
	return worst
}
