package serverlog_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser/serverlog"
)

// fileTime is when the lines of the test were written at the latest.
var fileTime = audit.TimeOf(time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC))

// cases returns the lines of testdata/lines.txt and what is wanted of each.
func cases(t testing.TB) (lines, wants []string) {
	data, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if want, ok := strings.CutPrefix(line, "= "); ok {
			wants = append(wants, want)
		} else if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) != len(wants) {
		t.Fatalf("%d lines and %d wants", len(lines), len(wants))
	}
	return lines, wants
}

// read reads a line of testdata/lines.txt.
func read(r *serverlog.Reader, line string, e *audit.Event) serverlog.Kind {
	clock := serverlog.Clock{File: fileTime}
	if stamp, rest, ok := strings.Cut(line, "|"); ok {
		if at, err := time.Parse(time.RFC3339Nano, stamp); err == nil {
			clock.Stamp, line = audit.TimeOf(at), rest
		}
	}
	return r.Read([]byte(line), clock, e)
}

func TestEveryFormIsReadAsItWasMeant(t *testing.T) {
	lines, wants := cases(t)
	r := &serverlog.Reader{Syms: new(audit.Syms)}
	var e audit.Event
	for i, line := range lines {
		kind := read(r, line, &e)
		got := strings.Join(strings.Fields(describe(kind, &e)), " ")
		if diff := cmp.Diff(wants[i], got); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", line, diff)
		}
	}
}

func describe(kind serverlog.Kind, e *audit.Event) string {
	var b strings.Builder
	switch kind {
	case serverlog.Unknown:
		return "unknown"
	case serverlog.Plain:
		return "plain"
	case serverlog.Torn:
		return "torn"
	case serverlog.Line:
		fmt.Fprintf(&b, "%s %s", e.Reason, about(e))
		if len(e.AuditID) > 0 {
			fmt.Fprintf(&b, " id=%s", e.AuditID)
		}
		return b.String() + " at=" + e.At.String()
	case serverlog.Audit:
		fmt.Fprintf(&b, "audit %s %s groups=%v", e.Stage, e.Summary(), e.Groups)
	case serverlog.Request:
		b.WriteString("request " + e.Summary())
	}
	fmt.Fprintf(&b, " agent=%s ip=%s id=%s at=%s", e.UserAgent, e.ClientIP(), e.AuditID, e.At)
	if e.Coarse {
		b.WriteString(" coarse")
	}
	if e.Guessed {
		b.WriteString(" guessed")
	}
	return b.String()
}

// about says what a line is about.
func about(e *audit.Event) string {
	switch {
	case e.Reason == audit.LinePanic || e.Reason == audit.LineCrash:
		return e.Message.String()
	case e.Resource == audit.Sym{} && len(e.Name) > 0:
		return e.Verb.String() + " " + e.Name.String()
	}
	return e.Verb.String() + " " + e.Target()
}

func TestAGuessedYearIsTheLastInWhichTheFileCouldHoldTheLine(t *testing.T) {
	for stamp, want := range map[string]string{
		"I0305 11:59:59.000000": "2026-03-05T11:59:59.000000Z",
		"I0305 23:00:00.000000": "2026-03-05T23:00:00.000000Z", // a zone east of UTC
		"I0307 12:00:00.000000": "2025-03-07T12:00:00.000000Z",
		"I1231 23:59:59.000000": "2025-12-31T23:59:59.000000Z",
	} {
		h, _, ok := serverlog.ParseHeader([]byte(stamp + "    1 x.go:1] y"))
		at, guess := serverlog.Clock{File: fileTime}.At(h)
		if !ok || !guess || at.String() != want {
			t.Errorf("%s in a file of %s: %s, guess %t; want %s", stamp, fileTime, at, guess, want)
		}
	}
}

func TestATraceIsTheCulpritAndItsCallers(t *testing.T) {
	data, err := os.ReadFile("testdata/traces.txt")
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(string(data), "\n====\n") {
		stack, want, _ := strings.Cut(text, "\n----\n")
		var trace serverlog.Trace
		for line := range strings.Lines(stack) {
			if !trace.Add([]byte(line)) {
				break
			}
		}
		got := strings.Join(append([]string{"value: " + string(trace.Value)}, trace.Frames...), "\n")
		if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", stack, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	lines, _ := cases(f)
	for _, line := range lines {
		f.Add(line)
	}
	r := &serverlog.Reader{Syms: new(audit.Syms)}
	var e audit.Event
	f.Fuzz(func(t *testing.T, line string) {
		switch kind := read(r, line, &e); kind {
		case serverlog.Request:
			if e.At == 0 || e.Stage != audit.StageResponseComplete || len(e.URI) == 0 || e.Received > e.At {
				t.Errorf("%q: a request without an end, a time or a URI: %+v", line, e)
			}
		case serverlog.Audit:
			if e.At == 0 || len(e.AuditID) == 0 {
				t.Errorf("%q: an audit event without a time or an ID: %+v", line, e)
			}
		case serverlog.Line:
			if e.Reason == (audit.Sym{}) || e.At == 0 && e.Reason != audit.LineCrash {
				t.Errorf("%q: a line without a kind or a time: %+v", line, e)
			}
		}
	})
}

func FuzzTrace(f *testing.F) {
	data, err := os.ReadFile("testdata/traces.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Fuzz(func(t *testing.T, text string) {
		var trace serverlog.Trace
		for line := range strings.Lines(text) {
			if !trace.Add([]byte(line)) {
				break
			}
		}
		if len(trace.Frames) > 5 {
			t.Errorf("%d frames are kept", len(trace.Frames))
		}
	})
}
