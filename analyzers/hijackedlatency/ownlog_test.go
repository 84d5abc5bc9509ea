package hijackedlatency_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers/hijackedlatency"
	"github.com/kaudit/kaudit/parser"
)

func TestTheLineThatTellsOfAnEndIsCited(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/ended_in_own_log.txtar")
	if err != nil {
		t.Fatal(err)
	}
	log := parser.NewLog("log", bytes.NewReader(archive.Files[0].Data))
	r := driver.Run(t.Context(), []*parser.Log{log}, driver.Options{Workers: 1, Analyzers: []*analysis.Analyzer{hijackedlatency.New()}})
	var got []string
	for _, f := range r.Findings {
		for _, e := range f.Evidence {
			got = append(got, fmt.Sprintf("line %d: %s", e.Line, e.Summary))
		}
	}
	want := []string{
		"line 1: create shop/pods/db-1/exec by ann",
		"line 3: create shop/pods/db-2/exec by ann",
		"line 5: httplog: it ended after 4m30s with 101",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEndsThatTheOwnLogAloneTellsAreOfTheUser: where the policy leaves
// ResponseComplete out, a session is told once, and one of which no end is told
// is not open.
func TestEndsThatTheOwnLogAloneTellsAreOfTheUser(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/ended_in_own_log.txtar")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(archive.Files[0].Data, []byte("\n"))
	const other = `I0105 09:09:00.000000       1 httplog.go:132] "HTTP" verb="GET" URI="/version" latency="1ms" audit-ID="5b0f0c2e-0000-4000-8000-000000000009" resp=200` + "\n"
	logs := []*parser.Log{
		parser.NewLog("audit.log", bytes.NewReader(bytes.Join(lines[:4], nil))),
		parser.NewLog("err.log", bytes.NewReader(append(bytes.Clone(lines[4]), other...))),
	}
	r := driver.Run(t.Context(), logs, driver.Options{Workers: 1, Analyzers: []*analysis.Analyzer{hijackedlatency.New()}})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Title)
	}
	if diff := cmp.Diff([]string{"ann had 1 exec session in shop, 1 of 1m0s or longer, at most 4m30s"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhereAllEndsAreOfTheOwnLogSessionsAreTold: without one ResponseComplete
// the analyzer is blind but for these, and prints no time that it does not know.
func TestWhereAllEndsAreOfTheOwnLogSessionsAreTold(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/ended_in_own_log.txtar")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(archive.Files[0].Data, []byte("\n"))
	for _, c := range []struct {
		name  string
		lines [][]byte
		want  string
	}{
		{"with its line", lines[:5], "in part=true p50=270 p95=270 max=270 above=1"},
		{"without", lines[:4], "in part=false p50=<nil> p95=<nil> max=<nil> above=<nil>"},
	} {
		log := parser.NewLog("all.log", bytes.NewReader(bytes.Join(c.lines, nil)))
		r := driver.Run(t.Context(), []*parser.Log{log}, driver.Options{Workers: 1, Analyzers: []*analysis.Analyzer{hijackedlatency.New()}})
		details := analysis.Details{}
		for _, f := range r.Findings {
			details = f.Details
		}
		var above any
		if buckets, ok := details["buckets"].(map[string]int); ok {
			above = buckets["above"]
		}
		got := fmt.Sprintf("in part=%v p50=%v p95=%v max=%v above=%v", r.Blind[0].InPart, details["p50Seconds"], details["p95Seconds"], details["maxSeconds"], above)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
