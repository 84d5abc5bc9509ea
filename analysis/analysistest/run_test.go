package analysistest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

func TestAnAnalyzerThatKeepsTheLawPasses(t *testing.T) { Run(t, toy) }

func BenchmarkObserve(b *testing.B) { Observe(b, toy) }

// A recorder stands in for a test that is to fail.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper()                      {}
func (r *recorder) Error(args ...any)            { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, args ...any) { r.said = append(r.said, fmt.Sprintf(f, args...)) }
func (r *recorder) Fatal(args ...any)            { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, args ...any) { r.Errorf(f, args...); runtime.Goexit() }
func (r *recorder) record(do func(tb testing.TB)) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(r)
	}()
	<-done
	return strings.Join(r.said, "\n")
}

// TestFaultsAreNamed runs analyzers that break the contract, each in one way,
// over a case that a sound one passes.
func TestFaultsAreNamed(t *testing.T) {
	for fault, want := range map[string]string{
		"it shows the last object it met":   "the findings are others",
		"it keeps the first object it met":  "the findings are others",
		"its Merge loses":                   "cut in two, the findings are others",
		"it keeps a part of the event":      "the findings are others",
		"it counts on source IPs":           "a panic, runtime error: index out of range",
		"its Report counts":                 "Report changes the state",
		"it proves nothing":                 "0 lines of evidence",
		"it cites a line that is not there": "evidence 0 is not in the log",
		"its title has two lines":           "has control characters",
		"its window is elsewhere":           "reaches beyond the log",
	} {
		a := toy()
		a.New = func() analysis.State {
			return &faulty{denial: denial{Objects: map[string]bool{}, Refs: tally.Refs{K: 3}}, Fault: fault}
		}
		got := trial(t, a, "testdata/burst.txtar")
		if !strings.Contains(got, want) {
			t.Errorf("%s: the harness says %q, want %q", fault, got, want)
		}
	}
	if got := trial(t, toy(), "testdata/burst.txtar"); got != "" {
		t.Errorf("of a sound analyzer the harness says %q", got)
	}
}

func trial(t *testing.T, a *analysis.Analyzer, path string) string {
	t.Helper()
	c, err := readCase(path)
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{TB: t}
	return r.record(func(tb testing.TB) {
		runCase(tb, c, a, rand.New(rand.NewPCG(1, 0)))
		contract(tb, a)
	})
}

func TestAStateThatJSONLosesPartsOfIsRefused(t *testing.T) {
	if got := badState(toy().New()); len(got) != 0 {
		t.Errorf("a sound state: %q", got)
	}
	got := badState(new(saved))
	want := []string{
		"analysistest.saved.times is not exported, so it is not saved",
		"analysistest.saved.BySize has keys of type int: want strings, whose order in JSON is theirs",
		"analysistest.saved.Verb: a Sym is for one process; keep its text",
		"analysistest.saved.Path: a View is valid until the next event; keep a copy of its text",
		"analysistest.saved.Any is a interface, which can't be saved",
		"analysistest.saved.Skip is not saved",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTheContractNamesWhatADocumentLacks(t *testing.T) {
	for spoil, want := range map[string]string{
		"## What to do\n": `section "## What to do" is missing`,
		"`denials`":       "option `denials` is not described",
		"# denied: ":      "doc.md must begin with",
	} {
		a := toy()
		a.Doc = strings.Replace(a.Doc, spoil, "", 1)
		r := recorder{TB: t}
		if got := r.record(func(tb testing.TB) { contract(tb, a) }); !strings.Contains(got, want) {
			t.Errorf("without %q: the harness says %q, want %q", spoil, got, want)
		}
	}
}

// TestEveryFindingMustBeWantedAndEveryWantMet holds the two lists that check
// compares against each other.
func TestEveryFindingMustBeWantedAndEveryWantMet(t *testing.T) {
	c, err := readCase("testdata/burst.txtar")
	if err != nil {
		t.Fatal(err)
	}
	l := law{analyzer: toy(), events: c.events}
	findings := l.shard(c.events).Findings(nil)
	for want, wrong := range map[string]string{
		`"warning confirmed alice"`:                              "",
		`"warning confirmed alice" count=3 objects=["db","web"]`: "",
		`"warning confirmed alice" last=09:04:10`:                "",
		``:                         "a finding that nobody wants",
		`"bob"`:                    "a want that no finding meets",
		`"alice" "alice"`:          "a want that no finding meets",
		`"alice" count=4`:          "got count=3, want 4",
		`"alice" rounds=4`:         "got rounds=(absent), want 4",
		`"alice" subject.user=bob`: "got subject.user=alice, want bob",
		`"alice" caveat=bodies`:    `want one that matches "bodies"`,
		`"alice" first=09:01`:      "want 09:01",
	} {
		wants, err := parseWants(c.wants[0].line, want)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(check(findings, wants, c.lines), "\n")
		if got != "" && wrong == "" || !strings.Contains(got, wrong) {
			t.Errorf("want %s: got %q, want it to say %q", want, got, wrong)
		}
	}
	elsewhere, err := parseWants(c.wants[0].line+1, `"alice"`)
	if err != nil {
		t.Fatal(err)
	}
	if got := check(findings, elsewhere, c.lines); len(got) != 2 {
		t.Errorf("a want of another line: got %q", got)
	}
}

func TestOtherSettingsReachEveryOption(t *testing.T) {
	got := settingsTimes(toy(), 3)
	if want := map[string]any{"denials": 9}; !maps.Equal(got["denied"], want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRowKeysThatDependOnMoreThanARowAreNamed(t *testing.T) {
	a := toy()
	a.RowKeys = []audit.Class{audit.Class403}
	if got := trial(t, a, "testdata/burst.txtar"); got != "" {
		t.Errorf("of an analyzer whose keys are users the harness says %q", got)
	}
	a.Keys = func(e *audit.Event, keys []analysis.Key) []analysis.Key {
		return append(keys, analysis.Key{Name: analysis.NameOf(e.Name)})
	}
	if got := trial(t, a, "testdata/burst.txtar"); !strings.Contains(got, "RowKeys holds an event") {
		t.Errorf("of an analyzer whose keys are names the harness says %q", got)
	}
}
