package main

import (
	"fmt"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// newReport makes the report of a run over inputs, of which w left events in.
func newReport(inputs *parser.Inputs, result *driver.Result, w window, shown report.Options) *report.Report {
	in := newInput(inputs, result)
	in.Since, in.Until = w.since, w.until
	setRemedies(result.Findings)
	notes := result.Facts.Notes()
	notes = append(notes, analysis.MovedNotes(notes, result.Findings)...)
	return report.New(report.Report{
		Version:  thisBuild().Version,
		Partial:  result.Partial,
		Input:    in,
		Overview: result.Facts.Overview(),
		Notes:    append(notes, nulNotes(result.Input.Sources)...),
		Blind:    result.Blind,
		Overflow: result.Overflow,
		Findings: result.Findings,
	}, shown)
}

// setRemedies gives findings above info the remedies of their analyzers: info is
// no fault by itself.
func setRemedies(findings []analysis.Finding) {
	byName := map[string]*analysis.Analyzer{}
	for _, a := range analyzers.All() {
		byName[a.Name] = a
	}
	for i := range findings {
		if f := &findings[i]; f.Severity.Rank() > analysis.Info.Rank() && byName[f.Analyzer] != nil {
			f.Remedy = byName[f.Analyzer].Remedy(f)
		}
	}
}

// copiesNote says which logs hold the same events as others, and whether these
// were dropped or counted twice.
func copiesNote(names []string, dropped bool) analysis.Note {
	outcome := "What several inputs hold is counted once, as with --dedupe."
	if !dropped {
		outcome = "They came through a pipe, so their events were counted twice: use --dedupe."
	}
	return analysis.Note{
		Kind: "copies",
		Text: "each begins with the same event as another input: " + analysis.Named(names) + ". " + outcome,
	}
}

// overlapText says which logs hold the same events, which were counted twice. It
// is empty if there are none.
func overlapText(overlaps []driver.Overlap) string {
	if len(overlaps) == 0 {
		return ""
	}
	var pairs []string
	for _, o := range overlaps {
		pairs = append(pairs, "events of "+o.Log+" stand in "+o.In+" as well")
	}
	return analysis.Named(pairs) + ": they are counted twice"
}

// nulNotes name the files with runs of NUL bytes between their lines.
func nulNotes(sources []driver.Source) (notes []analysis.Note) {
	for i := range sources {
		if s := &sources[i]; s.Nuls > 0 {
			notes = append(notes, analysis.Note{Kind: "nul-bytes", Text: fmt.Sprintf(
				"%s has %d NUL bytes between its lines, which were passed over: logrotate's copytruncate emptied the file while the API server went on at its old place in it. Lines written in between are lost.",
				s.Name, s.Nuls)})
		}
	}
	return notes
}

func newInput(inputs *parser.Inputs, result *driver.Result) report.Input {
	from := &result.Input
	in := report.Input{
		Events: from.Events, Requests: from.Requests, OwnLines: from.OwnLines, Lines: from.Lines, Bytes: from.Bytes,
		First: from.First, Last: from.Last,
		Stages: map[string]int64{}, Levels: map[string]int64{},
		Skipped: from.Skipped, Selected: from.Selected, Duplicates: from.Duplicates, OutOfOrder: from.OutOfOrder,
	}
	in.Counted = result.Facts.HTTPLog
	if from.Events == 0 || result.Facts.Strays() {
		in.First, in.Last = result.Facts.Span.First, result.Facts.Span.Last
	}
	for stage, n := range result.Facts.Stages {
		if audit.Stage(stage) == audit.StageResponseComplete {
			n -= result.Facts.HTTPLog // requests, but no events
		}
		if n > 0 {
			in.Stages[audit.Stage(stage).String()] = n
		}
	}
	for level, n := range result.Facts.Levels {
		if audit.Level(level) == audit.LevelUnknown {
			n -= result.Facts.HTTPLog
		}
		if n > 0 {
			in.Levels[audit.Level(level).String()] = n
		}
	}
	for _, r := range from.Refused {
		in.Refused = append(in.Refused, report.Refused{Source: r.Source, Line: r.Line, Kind: r.Kind, Why: r.Why})
	}
	for _, s := range from.Sources {
		in.Sources = append(in.Sources, newSource(&s))
	}
	for _, p := range append(inputs.Passed, from.Passed...) {
		in.Passed = append(in.Passed, report.Passed(p))
	}
	for _, err := range append(inputs.Errors, from.Errors...) {
		in.Errors = append(in.Errors, err.Error())
	}
	return in
}

func newSource(from *driver.Source) report.Source {
	s := report.Source{
		Name: from.Name, Log: from.Log, Label: from.Label, Container: strings.Join(from.Containers, "/"), Format: from.Format,
		Events: from.Events, Requests: from.Requests, OwnLines: from.OwnLines, Lines: from.Lines, Bytes: from.Bytes, Skipped: from.Skipped,
	}
	if from.Err != nil {
		s.Error = from.Err.Error()
	}
	return s
}
