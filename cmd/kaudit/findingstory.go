package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query/timeline"
)

// A findingStory is what a timeline of a finding has beside its events.
type findingStory struct {
	silences []timeline.Silence
	restarts []timeline.Restart // of API servers
	end      audit.Time         // of the log
	pause    time.Duration      // see timeline.Teller.Pause
	incident string             // ID and title of the finding's incident
	related  []string           // IDs of the incident's other findings
}

const (
	// margin is how much of the log before and after a finding its story covers.
	margin = time.Minute

	// mostPauses is how often repeats of one thing can pause at most, since
	// shorter pauses part no lines: in the story of a day, an hour is no pause.
	mostPauses = 10

	// screenful is how many lines a reader sees at once. Beside the evidence of
	// the finding itself, no more events than that get lines of their own.
	screenful = 40
)

// findFinding scans the logs for the finding or incident of --finding and makes it
// the subject. The logs are then read again for the story.
func (s *story) findFinding(ctx context.Context) error {
	o, meter, err := s.open(ctx)
	if err != nil {
		return err
	}
	if s.inputs.Piped() {
		return hinted(errors.New("--finding reads the log twice, and a pipe can be read only once"), "put the log into a file")
	}
	name, _, _ := strings.Cut(s.finding, "/")
	isIncident := slices.Contains(incident.Rules(), name)
	if _, err := (&scanFlags{analyzers: []string{name}}).chooseAnalyzers(); err != nil && !isIncident {
		return hinted(usagef("--finding %s: an id has the form ANALYZER/HASH, or RULE/HASH of an incident", s.finding), "%s", listFindings)
	}
	if o.Analyzers, err = (&scanFlags{}).chooseAnalyzers(); err != nil { // all: its incident may have findings of others
		return err
	}
	o.Select = nil
	result := driver.Run(ctx, s.inputs.Logs, o)
	meter.clear()
	if result.Input.Events+result.Input.Requests+result.Input.OwnLines == 0 {
		return s.verdict(ctx, &result.Input, result.Partial)
	}
	incidents := incident.Find(result.Findings, 0)
	if isIncident {
		at, err := s.choose("incident", listIncidents, len(incidents), func(i int) string { return incidents[i].ID })
		if err != nil {
			return err
		}
		s.setIncident(&incidents[at], result)
		return nil
	}
	at, err := s.choose("finding", listFindings, len(result.Findings), func(i int) string { return result.Findings[i].ID })
	if err != nil {
		return err
	}
	f := &result.Findings[at]
	s.setFinding(f, tally.Span{First: f.First, Last: f.Last}, incidents, result)
	return nil
}

// What lists the ids that --finding takes.
const (
	listFindings  = `kaudit scan --jq '.findings[] | "\(.id) \(.title)"' lists them`
	listIncidents = `kaudit scan --jq '.incidents[] | "\(.id) \(.title)"' lists them`
)

// choose returns the index of the only one of n ids that begins with --finding. noun says
// of what the ids are, and list lists them.
func (s *story) choose(noun, list string, n int, id func(int) string) (chosen int, err error) {
	var ids []string
	for i := range n {
		if strings.HasPrefix(id(i), s.finding) {
			ids, chosen = append(ids, id(i)), i
		}
	}
	switch n := len(ids); {
	case n == 0:
		return 0, hinted(usagef("--finding %s: the log has no such %s", s.finding, noun), "%s", list)
	case n > 1:
		return 0, hinted(usagef("--finding %s: %d %ss begin so", s.finding, n, noun), "%s", analysis.FirstOf(5, ids))
	}
	return chosen, nil
}

// setIncident makes the first cause of an incident the subject, for as long as the incident
// lasts.
func (s *story) setIncident(in *incident.Incident, result *driver.Result) {
	cause := slices.IndexFunc(result.Findings, func(f analysis.Finding) bool { return f.ID == in.Findings[0] })
	s.setFinding(&result.Findings[cause], tally.Span{First: in.First, Last: in.Last}, []incident.Incident{*in}, result)
	s.zero, s.zeroIs = in.First, "the beginning of "+in.ID
}

// setFinding makes a finding and its incident, one of those, the subject. Unless flags set
// the time, the story begins a margin before the span and the finding's evidence, and ends
// one after.
func (s *story) setFinding(f *analysis.Finding, whole tally.Span, incidents []incident.Incident, result *driver.Result) {
	s.about, s.zero, s.zeroIs = f.ID+": "+f.Title, f.First, "the beginning of "+f.ID
	s.picker = timeline.Picker{Subjects: aboutFinding(f), Beginnings: true, Proofs: map[timeline.Place]*timeline.Proof{}, Ends: ends(f.Marks)}
	s.picker.HTTPLog = result.Input.Events == 0
	s.addOthers(f, incidents, result.Findings)
	first, last := whole.First, whole.Last
	for _, e := range f.Evidence {
		first, last = min(first, e.Time), max(last, e.Time)
		s.picker.Proofs[timeline.Place{Source: e.Source, Offset: e.Offset}] = &timeline.Proof{Summary: e.Summary}
	}
	span := result.Facts.Span
	s.told.silences, s.told.end = silences(f, span.Last), span.Last
	s.told.restarts = restarts(result.Facts)
	if s.since == "" && s.until == "" && s.around == "" {
		s.told.pause = last.Sub(first) / mostPauses
		s.since, s.until = first.Add(-margin).String(), last.Add(margin).String()
	}
}

// restarts returns the restarts of API servers that the logs show, in order of time.
func restarts(facts *analysis.Facts) (all []timeline.Restart) {
	for _, log := range facts.LogNames() {
		for _, start := range facts.Starts(log) {
			all = append(all, timeline.Restart{Log: log, From: facts.LastBefore(log, start), To: start})
		}
	}
	slices.SortStableFunc(all, func(a, b timeline.Restart) int { return cmp.Compare(a.To, b.To) })
	return all
}

// addOthers adds what the other findings of the incident are about and their
// evidence, in the incident's order, until a screen is full.
func (s *story) addOthers(f *analysis.Finding, incidents []incident.Incident, findings []analysis.Finding) {
	byID := map[string]*analysis.Finding{}
	for i := range findings {
		byID[findings[i].ID] = &findings[i]
	}
	lines := 0
	for _, in := range incidents {
		if !slices.Contains(in.Findings, f.ID) {
			continue
		}
		s.told.incident = in.ID + ": " + in.Title
		for _, id := range in.Findings {
			o := byID[id]
			if id == f.ID || o == nil {
				continue
			}
			s.told.related = append(s.told.related, id)
			if lines += len(o.Evidence); lines > screenful {
				continue
			}
			for _, e := range o.Evidence {
				s.picker.Proofs[timeline.Place{Source: e.Source, Offset: e.Offset}] = &timeline.Proof{Finding: id, Summary: e.Summary}
			}
			if o.Subject.User+o.Subject.Node+o.Subject.Name != "" { // else it is about everything
				s.picker.Subjects = append(s.picker.Subjects, aboutFinding(o)...)
			}
		}
	}
}

// ends returns when marks begin and end: events at these times get lines of
// their own. Kinds with the fewest marks come first, until a screen is full. The
// marks of silences and of what lies between them are left out: the events at
// their ends are beats like all the others.
func ends(marks []analysis.Mark) map[audit.Time]bool {
	kinds := map[string][]audit.Time{}
	for _, m := range marks {
		if m.N == 1 && m.Kind != silence && m.Kind != timeElsewhere && m.Kind != timeHeard {
			kinds[m.Kind] = append(kinds[m.Kind], m.From, m.To)
		}
	}
	times := map[audit.Time]bool{}
	left := screenful
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(cmp.Compare(len(kinds[a]), len(kinds[b])), cmp.Compare(a, b)) }) {
		if left -= len(kinds[kind]); left < 0 {
			break
		}
		for _, t := range kinds[kind] {
			times[t] = true
		}
	}
	return times
}
