package analysistest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A want is what a case expects of one finding.
type want struct {
	line  int // of the case; 0: any line
	text  string
	match *regexp.Regexp
	attrs []wantAttr
}

// A wantAttr is a key=value behind a want.
type wantAttr struct{ key, value string }

// parseWants reads the wants of a line: regular expressions in quotes, each
// with the keys that follow it. A # begins a remark.
func parseWants(line int, text string) ([]want, error) {
	words, _, err := tokens(text)
	if err != nil {
		return nil, err
	}
	var wants []want
	for _, w := range words {
		if w.quoted {
			match, err := regexp.Compile(w.text)
			if err != nil {
				return nil, fmt.Errorf("want: %w", err)
			}
			wants = append(wants, want{line: line, text: w.text, match: match})
			continue
		}
		key, value, ok := strings.Cut(w.text, "=")
		if !ok || len(wants) == 0 {
			return nil, fmt.Errorf("want: %q is neither a quoted expression nor a key=value behind one", w.text)
		}
		last := &wants[len(wants)-1]
		last.attrs = append(last.attrs, wantAttr{key, value})
	}
	return wants, nil
}

// missing returns in what way f is not what is wanted, or "".
func (w *want) missing(f *analysis.Finding) string {
	headline := fmt.Sprintf("%s %s %s", f.Severity, f.Confidence, f.Title)
	if !w.match.MatchString(headline) {
		return fmt.Sprintf("got %q, want %q", headline, w.text)
	}
	for _, a := range w.attrs {
		if why := a.missing(f); why != "" {
			return why
		}
	}
	return ""
}

func (a wantAttr) missing(f *analysis.Finding) string {
	if a.key == "caveat" {
		match, err := regexp.Compile(a.value)
		if err != nil {
			return err.Error()
		}
		if !slices.ContainsFunc(f.Caveats, match.MatchString) {
			return fmt.Sprintf("got caveats %q, want one that matches %q", f.Caveats, a.value)
		}
		return ""
	}
	got := a.of(f)
	if a.key == "first" || a.key == "last" {
		if !strings.Contains(got, a.value) {
			return fmt.Sprintf("got %s=%s, want %s", a.key, got, a.value)
		}
		return ""
	}
	if got != a.value {
		return fmt.Sprintf("got %s=%s, want %s", a.key, got, a.value)
	}
	return ""
}

// of returns the value in f that the key names.
func (a wantAttr) of(f *analysis.Finding) string {
	if field, ok := strings.CutPrefix(a.key, "subject."); ok {
		var subject map[string]string
		raw, err := json.Marshal(f.Subject)
		if err == nil {
			err = json.Unmarshal(raw, &subject)
		}
		if err != nil {
			panic("a subject is not a JSON object of strings")
		}
		return subject[field]
	}
	switch a.key {
	case "count":
		return fmt.Sprint(f.Count)
	case "first":
		return f.First.String()
	case "last":
		return f.Last.String()
	}
	value, ok := f.Details[a.key]
	if !ok {
		return "(absent)"
	}
	if text, ok := value.(string); ok {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// A place is where an event of a case stands.
type place struct {
	source string
	offset int64
}

// check compares findings with wants. It returns what is wrong.
func check(findings []analysis.Finding, wants []want, lines map[place]int) []string {
	var wrong []string
	met := make([]bool, len(wants))
	for i := range findings {
		f := &findings[i]
		if n, near := meet(f, wants, met, lines); n >= 0 {
			met[n] = true
		} else {
			wrong = append(wrong, fmt.Sprintf("line %d: a finding that nobody wants: %s %s %s %s\n\t%s",
				firstLine(f, lines), f.Severity, f.Confidence, f.Title, detailsOf(f), strings.Join(near, "\n\t")))
		}
	}
	for i, w := range wants {
		if !met[i] {
			wrong = append(wrong, fmt.Sprintf("line %d: a want that no finding meets: %q %v", w.line, w.text, w.attrs))
		}
	}
	return wrong
}

// meet returns the first want, not yet met, that f meets, or -1 and why it
// does not meet those of its line.
func meet(f *analysis.Finding, wants []want, met []bool, lines map[place]int) (n int, near []string) {
	line := firstLine(f, lines)
	for i := range wants {
		w := &wants[i]
		if met[i] || w.line != 0 && w.line != line {
			continue
		}
		why := w.missing(f)
		if why == "" {
			return i, nil
		}
		near = append(near, why)
	}
	return -1, near
}

// firstLine returns the case's line of f's earliest evidence.
func firstLine(f *analysis.Finding, lines map[place]int) int {
	var first *analysis.Evidence
	for i := range f.Evidence {
		if e := &f.Evidence[i]; first == nil || compareEvidence(e, first) < 0 {
			first = e
		}
	}
	if first == nil {
		return 0
	}
	return lines[place{first.Source, first.Offset}]
}

func compareEvidence(a, b *analysis.Evidence) int {
	return audit.Ref{Time: a.Time, Source: a.Source, Offset: a.Offset}.Compare(
		audit.Ref{Time: b.Time, Source: b.Source, Offset: b.Offset})
}

func detailsOf(f *analysis.Finding) string {
	raw, err := json.Marshal(f.Details)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
