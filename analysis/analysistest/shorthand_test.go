package analysistest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kaudit/kaudit/audit"
)

// entriesOf reads a log in the notation.
func entriesOf(log string) ([]entry, error) {
	var s shorthand
	no := 0
	for row := range strings.Lines(log) {
		no++
		if err := s.read(no, row); err != nil {
			return nil, fmt.Errorf("line %d: %w", no, err)
		}
	}
	return s.entries, nil
}

// TestALineMakesWhatTheAPIServerWrites compares lines with the events they
// make. testdata/notation has the two side by side.
func TestALineMakesWhatTheAPIServerWrites(t *testing.T) {
	const path = "testdata/notation/events.txt"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		line, _, _ := strings.Cut(string(archive.Files[i].Data), "\n")
		entries, err := entriesOf(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got := line + "\n"
		for _, e := range entries {
			got += string(e.raw) + "\n"
		}
		if *update {
			archive.Files[i].Data = []byte(got)
		} else if want := string(archive.Files[i].Data); got != want {
			t.Errorf("%s (-want +got)\n%s", archive.Files[i].Name, cmp.Diff(want, got))
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStagesOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"a get pods shop/web 200":                              "RequestReceived 0s, ResponseComplete 5ms",
		"a get pods shop/web 200 dur=2s":                       "RequestReceived 0s, ResponseComplete 2s",
		"a get pods shop/web 200 dur=open":                     "RequestReceived 0s",
		"a get pods shop/web -":                                "RequestReceived 0s",
		"a watch pods - 200 dur=7.002s":                        "RequestReceived 0s, ResponseStarted 1ms, ResponseComplete 7.002s",
		"a watch pods - 200 dur=7s started=7s":                 "RequestReceived 0s, ResponseStarted 7s, ResponseComplete 7s",
		"a watch pods - 200 dur=300us":                         "RequestReceived 0s, ResponseStarted 300µs, ResponseComplete 300µs",
		"a watch pods - 200 dur=open":                          "RequestReceived 0s, ResponseStarted 1ms",
		"a watch pods - 410":                                   "RequestReceived 0s, ResponseStarted 1ms, ResponseComplete 5ms",
		"a create pods/exec shop/web 101 dur=1m":               "RequestReceived 0s, ResponseStarted 1ms, ResponseComplete 1m0s",
		"a get /healthz - 200":                                 "RequestReceived 0s, ResponseComplete 5ms",
		"- get pods shop/web 401":                              "ResponseStarted 1ms",
		"a get pods shop/web 400 query=timeout=never":          "RequestReceived 0s, ResponseStarted 1ms",
		"a get pods shop/web 500 panic=oh":                     "RequestReceived 0s, Panic 5ms",
		"a get pods shop/web 200 omit=RequestReceived":         "ResponseComplete 5ms",
		"a watch pods - 200 dur=1s stage=ResponseComplete":     "ResponseComplete 1s",
		"a get pods shop/web 200 omit=RequestReceived,Panic":   "ResponseComplete 5ms",
		"a get pods shop/web 200 repeat=2 every=1s dur=100ms":  "RequestReceived 0s, ResponseComplete 100ms, RequestReceived 1s, ResponseComplete 1.1s",
		"a get pods shop/web 200 omit=RequestReceived dur=0ms": "ResponseComplete 0s",
	} {
		entries, err := entriesOf("09:00:00 " + line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		var got []string
		for _, e := range entries {
			var event wireEvent
			if err := json.Unmarshal(e.raw, &event); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s", event.Stage, e.at.Sub(nine)))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s:\ngot  %s\nwant %s", line, s, want)
		}
	}
}

// nine is 09:00:00 on the day of cases.
const nine = audit.Time(1_767_603_600_000_000)

func TestTimesAreAbsoluteOrAfterTheLineBefore(t *testing.T) {
	entries, err := entriesOf(`
		09:00:00                    a get pods - 200 stage=RequestReceived repeat=3 every=10s
		+2.5s                       a get pods - 200 stage=RequestReceived
		2026-01-05T09:01:00.000001Z a get pods - 200 stage=RequestReceived
		08:59:59.25                 a get pods - 200 stage=RequestReceived`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.at.Sub(nine).String())
	}
	if s := strings.Join(got, " "); s != "0s 10s 20s 22.5s 1m0.000001s -750ms" {
		t.Errorf("got %s", s)
	}
}

func TestCountersCount(t *testing.T) {
	entries, err := entriesOf("09:00:00 u{n} watch pods - 200 dur=1s repeat=3 every=1s stage=ResponseComplete rv={n*10+376} ua=a{n+1}")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		var event wireEvent
		if err := json.Unmarshal(e.raw, &event); err != nil {
			t.Fatal(err)
		}
		got = append(got, event.User.Username, event.UserAgent, event.RequestURI)
	}
	want := "u0 a1 /api/v1/pods?resourceVersion=376&watch=true u1 a2 /api/v1/pods?resourceVersion=386&watch=true u2 a3 /api/v1/pods?resourceVersion=396&watch=true"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestWithGivesKeysToTheLinesBelow(t *testing.T) {
	entries, err := entriesOf(`with log=cp1 stage=ResponseComplete select=no
		09:00:00 a get pods - 200
		09:00:00 a get pods - 200 log=cp2 select=yes
		with stage=ResponseComplete
		{"kind":"Event","stageTimestamp":"2026-01-05T09:00:00.000000Z"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range entries {
		got += fmt.Sprintf("%s %d %t; ", e.log, e.line, e.selected)
	}
	if want := "cp1 2 false; cp2 3 true; audit.log 5 true; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestALineThatCannotBeReadSaysWhy(t *testing.T) {
	for line, want := range map[string]string{
		"09:00:00 a get pods":                          "4 columns; want time, user, verb, resource, object, code",
		"9am a get pods - 200":                         "time 9am",
		"+1s a get pods - 200":                         "no line before",
		"09:00:00 a get pods - OK":                     `code "OK"`,
		"09:00:00 a get - - 200":                       `resource "-"`,
		"09:00:00 a watch pods - 200":                  "must say how long it lived",
		"09:00:00 a get pods - 200 durr=1s":            `key "durr": want one of dur, started`,
		"09:00:00 a get pods - 200 fast":               `"fast": want key=value`,
		"09:00:00 a get pods - 200 dur=1":              "dur: ",
		"09:00:00 a get pods - 200 started=1":          "started: ",
		"09:00:00 a get pods - 200 stage=Done":         `stage: unknown audit stage "Done"`,
		"09:00:00 a get pods - 200 level=All":          `unknown audit level "All"`,
		"09:00:00 a get pods - 200 select=maybe":       "select=maybe: want yes or no",
		"09:00:00 a get pods - 200 repeat=0":           "repeat=0",
		"09:00:00 a get pods - 200 repeat=2":           "repeat needs every=",
		"09:00:00 a create pods shop/ 201 request='{'": "is not JSON",
		"09:00:00 a get pods - 200 ua='x":              "a ' is not closed",
		`09:00:00 a get pods - 200 ua="x\z"`:           "an escape is none of Go's",
		"09:00:00 a get pods - 200 ua='x'y":            "no space after a closing quote",
		"09:00:00 a get pods - 200 # want alice":       "neither a quoted expression",
		`09:00:00 a get pods - 200 # want "("`:         "missing closing )",
		`{"kind":`:                                     "unexpected end of JSON",
	} {
		if _, err := entriesOf(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that says %q", line, err, want)
		}
	}
}

func TestACaseCountsLinesAsAnEditorDoes(t *testing.T) {
	c, err := readCase("testdata/few.txtar")
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]int{}
	for _, line := range c.lines {
		got[line]++
	}
	if want := map[int]int{4: 4, 5: 18}; !cmp.Equal(got, want) {
		t.Errorf("events by line: got %v, want %v", got, want)
	}
}

func TestACaseThatCannotBeReadSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"-- logs --\n":                          "there is no such section",
		"a\n-- log --\n# fine\nbad line\n":      "line 4: 2 columns",
		"-- flags --\ndenials\n":                "want option=value",
		"-- fixture --\nno-such/audit.log.gz\n": "no-such",
		"-- want --\nalice\n":                   "neither a quoted expression",
	} {
		path := filepath.Join(t.TempDir(), "case.txtar")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readCase(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got %v, want an error that names %s and says %q", text, err, path, want)
		}
	}
}

// FuzzShorthand: whatever the notation reads becomes events that the decoder
// reads, one each.
func FuzzShorthand(f *testing.F) {
	cases, err := filepath.Glob("../../analyzers/*/testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(cases, "testdata/burst.txtar") {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "log" && len(file.Data) < 2000 {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, log string) {
		if strings.Contains(log, "repeat=") && len(log) > 200 || strings.Contains(log, "{\"") {
			return // thousands of events, or events that are the fuzzer's own
		}
		entries, err := entriesOf(log)
		if err != nil {
			return
		}
		var data []byte
		for _, e := range entries {
			data = append(append(data, e.raw...), '\n')
		}
		events, err := decode(map[string][]byte{defaultLog: data})
		if err != nil || len(events) != len(entries) {
			t.Errorf("%d of %d events are decoded, %v:\n%s", len(events), len(entries), err, data)
		}
		for i := range events {
			if e := &events[i].event; e.At != entries[i].at {
				t.Errorf("event %d is of %s, want %s", i, e.At, entries[i].at)
			}
		}
	})
}
