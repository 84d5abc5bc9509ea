package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report"
)

// hostile is what a client may have called itself.
var hostile = []string{
	"\x1b[2J\x1b[31mred", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "\u009b31m", "\x9b31m",
	"safe\u202egnp.exe", "\u2066isolated\u2069", "zero\u200bwidth\u200d\ufeff", "two\nlines\r\n", "tab\there", "\x00\a\b\x7f",
	"invalid \xff\xfe", "half a rune \xe2\x82", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "%s%n%d", "日本語 é 😀",
	"\U000e0041tag", "blank \u3164 filler", "\u2028\u2029", "yes", "null", "~", "- x", "a: b", "#", "{}", ".inf", "1e3", "'", `"`, `\`, "|", " lead", "trail ",
	"", "...", "---", "*a", "&a", "!x", "@", "`", "%", "<<", "2026-01-01", "0x1f", "\ufffd",
}

func TestCleanShowsWhatATerminalWouldObey(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain text, é and 日本", "plain text, é and 日本"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\nb\r\tc", `a\nb\r\tc`},
		{"\u009b31m", `\x9b31m`},
		{"\x9b31m", `\x9b31m`},
		{"safe\u202egnp.exe", `safe\u202egnp.exe`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"a\u00a0b", `a\xa0b`},
		{"\U000e0041", `\U000e0041`},
		{"blank\u3164", `blank\u3164`},
		{"\xe2\x82", `\xe2\x82`},
		{`back\slash`, `back\slash`},
	} {
		if got := report.Clean(c.text); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestVeryLongTextIsCutInTheMiddle(t *testing.T) {
	long := "begin" + strings.Repeat("é", 5<<20) + "end"
	got := report.Clean(long)
	if len(got) > 700 || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") || !strings.Contains(got, "bytes left out") {
		t.Errorf("10 MB become %d bytes: %.80q", len(got), got)
	}
	if !utf8.ValidString(got) {
		t.Error("a rune was cut")
	}
}

// withText is a report that has text wherever a log or a file system decides
// what stands there.
func withText(text string) *report.Report {
	r := synthetic()
	r.Version = text
	in := &r.Input
	in.Skipped[text] = 1
	in.Refused = append(in.Refused, report.Refused{Source: text, Line: 1, Kind: text, Why: text})
	in.Passed = append(in.Passed, report.Passed{Name: text, Why: text})
	in.Errors = append(in.Errors, text)
	for i := range in.Sources {
		in.Sources[i].Name, in.Sources[i].Log, in.Sources[i].Error = text, text, text
	}
	r.Notes = append(r.Notes, analysis.Note{Kind: text, Text: text})
	r.Blind = append(r.Blind, analysis.Blind{Analyzer: text, Why: text})
	r.Overflow[text] = 1
	for i := range r.Findings {
		f := &r.Findings[i]
		f.ID, f.Title, f.Remedy = text, text, text
		f.Caveats = append(f.Caveats, text)
		f.Subject = analysis.Subject{
			User: text, UserAgent: text, SourceIP: text, APIGroup: text, Resource: text,
			Namespace: text, Name: text, Subresource: text, Node: text,
		}
		f.Details["text"] = text
		for j := range f.Evidence {
			e := &f.Evidence[j]
			e.Source, e.AuditID, e.Summary = text, text, text
		}
	}
	for i := range r.Incidents {
		in := &r.Incidents[i]
		in.Title, in.Cause, in.Remedy, in.Avoid, in.Proof = text, text, text, text, text
		in.Findings = append(in.Findings, text)
		for j := range in.Timeline {
			in.Timeline[j].Text = text
		}
	}
	return r
}

// obeyed returns the first character of text that a terminal obeys, or that
// hides or turns text, but for the line's end.
func obeyed(text string) (rune, bool) {
	for _, r := range text {
		if r != '\n' && (r < ' ' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)) {
			return r, true
		}
	}
	return 0, false
}

func checkHarmless(t *testing.T, form, text string) {
	t.Helper()
	if r, bad := obeyed(text); bad {
		t.Errorf("%s: %U reaches the terminal", form, r)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: invalid UTF-8 reaches the terminal", form)
	}
}

func checkForms(t *testing.T, text string) {
	t.Helper()
	r := withText(text)
	for _, o := range []report.Options{
		{}, {Width: 41}, {Width: 200}, {Wide: true, MinSeverity: "info", MinConfidence: "possible"},
	} {
		checkHarmless(t, "table", table(t, r, o))
	}
	checkHarmless(t, "JSON", asJSON(t, r))
	checkPage(t, text)
	checkMarkdown(t, text)
	var out bytes.Buffer
	if err := report.YAML(&out, r); err != nil {
		t.Fatal(err)
	}
	checkHarmless(t, "YAML", out.String())
	var doc struct {
		Version  string
		Findings []struct{ Title string }
	}
	if err := yaml.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("YAML with %.60q is not read: %v", text, err)
	}
	want := strings.ToValidUTF8(text, "\ufffd")
	if utf8.ValidString(text) && (doc.Version != want || doc.Findings[0].Title != want) {
		t.Errorf("YAML: %.60q is read as %.60q and %.60q", text, doc.Version, doc.Findings[0].Title)
	}
}

func TestHostileTextIsHarmlessInEveryForm(t *testing.T) {
	for _, text := range hostile {
		checkForms(t, text)
	}
}

func TestAUserAgentOf10MBStaysSmallInADocument(t *testing.T) {
	for _, text := range []string{"\x1b]0;", "\x80\x80\x80\x80", "a. ", "....", "日本. "} {
		r := withText(strings.Repeat(text, 10<<20/len(text)))
		if got := len(table(t, r, report.Options{Wide: true})); got > 1<<19 {
			t.Errorf("%q: the table has %d bytes", text, got)
		}
		if got := len(asHTML(t, r, all)) + len(asMarkdown(t, r, all)); got > 1<<19 {
			t.Errorf("%q: the page and the document have %d bytes", text, got)
		}
	}
}

// FuzzTable is that whatever a log holds, no byte below space but the line's
// end, no C1 control and nothing that turns text reaches a terminal, and no
// line is wider than it, but for commands, which are there to be pasted whole.
func FuzzTable(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, 80)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		checkForms(t, text)
		width = 40 + width&0xff
		got := table(t, withText(text), report.Options{Width: width})
		for line := range strings.Lines(got) {
			if line = strings.TrimSuffix(line, "\n"); report.Columns(line) > width && !strings.HasPrefix(line, "    kaudit ") {
				t.Errorf("%d columns are %d wide: %q", width, report.Columns(line), line)
			}
		}
	})
}
