package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// inFlight is how much earlier than --since a finding may begin that is about what
// ended after: a request, as a rule.
const inFlight = time.Second

// cutNotes say which findings are of what began before w, or went on after it: a node
// or a leader that fell silent before is silent still, but what failed at that time,
// and may be the cause, is left out.
func (f *filterFlags) cutNotes(w window, findings []analysis.Finding) (notes []analysis.Note) {
	before, after := "--since", "--until"
	earlier, later := "an earlier --since", "a later --until"
	if f.around != "" {
		before, after = "what --around takes in", "what --around takes in"
		earlier, later = "a wider --window", "a wider --window"
	}
	if early, span := beyond(findings, func(g *analysis.Finding) bool { return w.since != 0 && w.since.Sub(g.First) > inFlight }); len(early) > 0 {
		if f.around == "" {
			earlier = "--since " + wholeSeconds(span.First.Add(-margin))
		}
		notes = append(notes, analysis.Note{Kind: "cut-off", From: span.First, To: w.since, Text: fmt.Sprintf(
			"Findings of %s began before %s. What else went wrong then is left out, perhaps with their cause: %s takes it in.", strings.Join(early, ", "), before, earlier)})
	}
	if late, span := beyond(findings, func(g *analysis.Finding) bool { return w.until != 0 && g.Last.Sub(w.until) > inFlight }); len(late) > 0 {
		if f.around == "" {
			later = "--until " + wholeSeconds(span.Last.Add(margin))
		}
		notes = append(notes, analysis.Note{Kind: "cut-off", From: w.until, To: span.Last, Text: fmt.Sprintf(
			"Findings of %s went on after %s. What else went wrong then is left out: %s takes it in.", strings.Join(late, ", "), after, later)})
	}
	return notes
}

// filterNotes say that the cause of an incident may be among the events that filters, other
// than those of time, left out.
func (f *filterFlags) filterNotes(incidents []incident.Incident) []analysis.Note {
	if !slices.ContainsFunc(incidents, func(in incident.Incident) bool { return in.Severity.Rank() > analysis.Info.Rank() }) {
		return nil
	}
	flags := f.chosen.Flags()
	if f.where != "" {
		flags = append(flags, "--where")
	}
	flags = slices.DeleteFunc(flags, func(flag string) bool { return flag == "--since" || flag == "--until" })
	if len(flags) == 0 {
		return nil
	}
	return []analysis.Note{{Kind: "filtered", Text: fmt.Sprintf(
		"Only events that %s chose were looked at. What caused an incident may be among the others: scan the whole log before you act on one.", strings.Join(flags, " and "))}}
}

// beyond returns the analyzers of the findings above info that is accepts, sorted, and
// from when to when these findings are.
func beyond(findings []analysis.Finding, is func(*analysis.Finding) bool) (names []string, span tally.Span) {
	for i := range findings {
		if f := &findings[i]; f.Severity.Rank() > analysis.Info.Rank() && is(f) {
			names = append(names, f.Analyzer)
			span.Add(f.First)
			span.Add(f.Last)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), span
}

// wholeSeconds writes a time as a value of a flag.
func wholeSeconds(t audit.Time) string { return t.Std().Format(time.RFC3339) }
