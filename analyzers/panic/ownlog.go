package panics

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// together is how far apart the audit event of a panic and its line in the API
// server's own log may be: both are written when it is recovered from.
const together = 10 * time.Second

// group gives panics the stacks that the API server's own log has of them, and
// adds the panics and crashes that only that log tells of: a policy may leave
// out the stage, and a process that ends writes no event.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LinePanic)
	var alone []analysis.OwnLine
	for i := range lines {
		if !attach(findings, &lines[i]) {
			alone = append(alone, lines[i])
		}
	}
	for i := range findings {
		findings[i].Title += inFrames(framesOf(&findings[i]))
	}
	findings = append(findings, loggedPanics(p, alone)...)
	findings = append(findings, crashes(p)...)
	slices.SortFunc(findings, func(f, g analysis.Finding) int { return f.Compare(&g) })
	return findings
}

// attach adds what a line tells to the finding that it is about, if any.
func attach(findings []analysis.Finding, line *analysis.OwnLine) bool {
	value := valueKey(line.Value)
	for i := range findings {
		f := &findings[i]
		near := line.Ref.Time >= f.First.Add(-together) && line.Ref.Time <= f.Last.Add(together)
		if f.Details.Int("panics") == 0 || valueKey(f.Details.Text("value")) != value || !near && !line.Guessed {
			continue
		}
		if len(framesOf(f)) == 0 && len(line.Frames) > 0 {
			f.Details["frames"] = analysis.PlainAll(line.Frames)
			if near {
				f.First, f.Last = min(f.First, line.Ref.Time), max(f.Last, line.Ref.Time)
				f.Evidence = slices.Concat(f.Evidence[:min(len(f.Evidence), analysis.MaxEvidence-1)], analysis.Cite(line.Ref))
				sortEvidence(f.Evidence)
			}
		}
		return true
	}
	return false
}

func framesOf(f *analysis.Finding) []string {
	frames, _ := f.Details["frames"].([]string)
	return frames
}

func inFrames(frames []string) string {
	if len(frames) == 0 {
		return ""
	}
	return ", in " + frames[0]
}

// valueKey is a value without what differs from one panic to the next.
func valueKey(value string) string {
	value = analysis.Plain(value[:min(len(value), maxValue)])
	return string(withoutNumbers([]byte(value)))
}

func sortEvidence(evidence []analysis.Evidence) {
	slices.SortStableFunc(evidence, func(a, b analysis.Evidence) int { return int(a.Time - b.Time) })
}

// loggedPanics makes a finding of the panics with one value that no audit
// event tells of.
func loggedPanics(p *analysis.Pass, lines []analysis.OwnLine) []analysis.Finding {
	requests, _ := p.Facts.OwnLines(audit.LinePanicked)
	var findings []analysis.Finding
	for _, of := range byValue(lines) {
		f := logged(p, "panic", of)
		f.Confidence = analysis.Confirmed
		f.Details["panics"] = len(of)
		f.Count = len(of)
		at := ""
		if request := requestOf(requests, &of[0]); request != nil {
			f.Subject = analysis.Subject{APIGroup: request.Group, Resource: request.Resource, Name: request.Name}
			at = fmt.Sprintf(" at %s %s", request.Verb, request.Target)
		}
		f.Title = analysis.Plain(fmt.Sprintf("a panic%s was logged %s: %s", at, analysis.Times(len(of)), f.Details.Text("value"))) + inFrames(framesOf(&f))
		f.Caveats = append(f.Caveats, "there is no audit event of it: the policy omits the stage Panic, or it was no request")
		findings = append(findings, f)
	}
	return findings
}

// requestOf returns the line that says which request panicked: it is written
// right behind the panic's own.
func requestOf(requests []analysis.OwnLine, line *analysis.OwnLine) *analysis.OwnLine {
	for i := range requests {
		r := &requests[i]
		if r.Ref.Source == line.Ref.Source && r.Ref.Offset > line.Ref.Offset && r.Ref.Time.Sub(line.Ref.Time) <= time.Second {
			return r
		}
	}
	return nil
}

// byValue puts lines of one value together, in order of the first.
func byValue(lines []analysis.OwnLine) [][]analysis.OwnLine {
	var groups [][]analysis.OwnLine
	index := map[string]int{}
	for _, line := range lines {
		key := valueKey(line.Value)
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], line)
	}
	return groups
}

// logged begins a finding that lines of an own log make.
func logged(p *analysis.Pass, kind string, lines []analysis.OwnLine) analysis.Finding {
	f := analysis.Finding{
		Severity: analysis.Critical,
		Subject:  analysis.Subject{Name: "/"},
		Details: analysis.Details{
			"kind": kind, "panics": 0, "aborts": 0, "value": analysis.Plain(lines[0].Value), "frames": []string{},
			"verbs": []string{}, "users": []string{}, "minSeconds": 0.0, "maxSeconds": 0.0,
		},
	}
	if lines[0].Value == "" {
		f.Details["value"] = "unknown"
	}
	var refs []audit.Ref
	for i := range lines {
		if len(framesOf(&f)) == 0 {
			f.Details["frames"] = analysis.PlainAll(lines[i].Frames)
		}
		ref := lines[i].Ref
		if ref.Time == 0 { // a crash in a log without stamps is what ended it
			ref.Time = cmpOr(p.Facts.LogSpan(lines[i].Log).Last, p.Facts.Span.Last)
		}
		refs = append(refs, ref)
	}
	refs = refs[:min(len(refs), analysis.MaxEvidence)]
	f.Evidence = analysis.Cite(refs...)
	f.First, f.Last = f.Evidence[0].Time, f.Evidence[len(f.Evidence)-1].Time
	for i := range lines {
		if at := lines[i].Ref.Time; at != 0 {
			f.Last = max(f.Last, at)
		}
	}
	return f
}

func cmpOr(a, b audit.Time) audit.Time {
	if a != 0 {
		return a
	}
	return b
}

// crashes makes a finding of each way in which a process ended.
func crashes(p *analysis.Pass) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LineCrash)
	requests := p.Facts.OwnRequests()
	var findings []analysis.Finding
	for _, of := range byValue(lines) {
		f := logged(p, "crash", of)
		// A panic that was recovered and raised again is written twice, once with
		// its stack.
		f.Count = 1
		if n := slices.DeleteFunc(slices.Clone(of), func(l analysis.OwnLine) bool { return len(l.Frames) == 0 }); len(n) > 1 {
			f.Count = len(n)
		}
		f.Confidence = analysis.Likely
		log := of[0].Log
		if requests[log] == 0 && p.Facts.LogSpan(log).Empty() {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, "it is not known which program wrote the line: nothing else in that log is an API server's")
		}
		if of[0].Ref.Time == 0 {
			f.Caveats = append(f.Caveats, "the line has no time")
		}
		f.Details["panics"] = f.Count
		f.Subject.Name = log
		f.Title = analysis.Plain(fmt.Sprintf("the process that wrote %s died %s: %s", log, analysis.Times(f.Count), strings.TrimSpace(f.Details.Text("value")))) + inFrames(framesOf(&f))
		findings = append(findings, f)
	}
	return findings
}
