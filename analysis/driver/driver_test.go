package driver_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// TestStrictDecodingSaysTheSame compares the two decoders over every
// recording, in all that is reported.
func TestStrictDecodingSaysTheSame(t *testing.T) {
	for folder, names := range recordings(t) {
		if strings.HasPrefix(folder, "f-") {
			continue // Kubernetes' own types take seconds for it; the parser compares each of its lines
		}
		fast := outcome(t, names, driver.Options{})
		strict := outcome(t, names, driver.Options{Parser: parser.Options{Strict: true}})
		if fast != strict {
			t.Errorf("%s: the decoders differ (-fast +strict)\n%s", folder, cmp.Diff(fast, strict))
		}
	}
}

// TestRecordingsAreReadWhole holds counts that were made by other means: how
// many events there are, and how many are earlier than the one before them.
func TestRecordingsAreReadWhole(t *testing.T) {
	for name, want := range map[string][2]int64{
		"a-stuck-metadata-same/audit.log.gz":                         {8389, 152},
		"b-hijacked-metadata-all/audit.log.gz":                       {2002, 44},
		"c-stalled-watches/audit.log.gz":                             {10906, 331},
		"d-heartbeat-gap/audit.log.gz":                               {9480, 56},
		"e-panic-generic-all/audit.log.gz":                           {221, 0},
		"f-big-normal-metadata/audit.log.gz":                         {21882, 1101},
		"g-kubectl-logs-mix/kubectl-logs.log.gz":                     {2804, 107},
		"g-kubectl-logs-mix/only-stdout.log.gz":                      {2804, 107},
		"h-ha-two-apiservers/cp1/audit.log.gz":                       {1453, 4},
		"h-ha-two-apiservers/cp2/audit.log.gz":                       {2422, 12},
		"x-truncated-batch/audit.log.gz":                             {1119, 18},
		"cases/041-apiserver-crash-mid-line/input.jsonl.gz":          {47, 0},
		"cases/043-copytruncate-nul-prefix/input.jsonl.gz":           {20, 0},
		"cases/022-job-status-self-conflict/input.jsonl.gz":          {63, 0},
		"cases/047-auth-failure-responsestarted-only/input.jsonl.gz": {35, 0},
	} {
		r := driver.Run(t.Context(), logs(t, []string{name}), driver.Options{Parser: parser.Options{ChunkSize: 10_000}})
		if got := [2]int64{r.Input.Events, r.Input.OutOfOrder}; got != want {
			t.Errorf("%s: got %v events and out of order, want %v", name, got, want)
		}
	}
}

// event is a line of a log: a get at a second after nine.
func event(second int) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-%d","stage":"ResponseComplete",`+
		`"requestURI":"/healthz","verb":"get","user":{"username":"u"},"requestReceivedTimestamp":"2026-01-05T09:00:00.000000Z",`+
		`"stageTimestamp":"2026-01-05T09:00:%02d.000000Z"}`+"\n", second, second)
}

// TestPlainFilesArePartsOfOneLog reads rotated files from a directory, packed
// and not, whose lines count from each file's own beginning.
func TestPlainFilesArePartsOfOneLog(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, event(1), event(2), "torn\n")
	z.Close()
	for name, data := range map[string]string{
		"audit-2026-01-05T09-00-02.000.log.gz": packed.String(),
		"audit-2026-01-05T09-00-05.000.log":    event(1) + event(5),
		"audit.log":                            "\n" + event(6) + `{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"cut`,
		"notes.txt":                            "no log at all\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []driver.Options{{Workers: 1}, {Workers: 3, Parser: parser.Options{ChunkSize: 1}}} {
		in := driver.Run(t.Context(), parser.Find([]string{dir}, nil).Logs, o).Input
		var got []string
		for _, s := range in.Sources {
			got = append(got, fmt.Sprintf("%s of %s: %d events in %d lines, %v", filepath.Base(s.Name), filepath.Base(s.Log), s.Events, s.Lines, s.Skipped))
		}
		for _, r := range in.Refused {
			got = append(got, fmt.Sprintf("%s:%d: %s", filepath.Base(r.Source), r.Line, r.Kind))
		}
		got = append(got, fmt.Sprintf("%d events, %d out of order, %s to %s", in.Events, in.OutOfOrder, in.First, in.Last))
		for _, p := range in.Passed {
			got = append(got, fmt.Sprintf("passed over: %s: %s", filepath.Base(p.Name), p.Why))
		}
		want := []string{
			"audit-2026-01-05T09-00-02.000.log.gz of audit.log: 2 events in 3 lines, map[foreign:1]",
			"audit-2026-01-05T09-00-05.000.log of audit.log: 2 events in 2 lines, map[]",
			"audit.log of audit.log: 1 events in 3 lines, map[truncated:1]",
			"audit.log:3: truncated",
			"audit-2026-01-05T09-00-02.000.log.gz:3: foreign",
			"5 events, 1 out of order, 2026-01-05T09:00:01.000000Z to 2026-01-05T09:00:06.000000Z",
			"passed over: notes.txt: no audit event in it; it looks like text of another kind",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: (-want +got)\n%s", o.Workers, cmp.Diff(want, got))
		}
	}
}

// A tally counts what reaches an analyzer, by how.
type tallied struct{ Observed, Closed int }

func (s *tallied) Observe(*audit.Event) { s.Observed++ }
func (s *tallied) Close(*audit.Event)   { s.Closed++ }
func (s *tallied) Merge(o analysis.State) {
	s.Observed += o.(*tallied).Observed
	s.Closed += o.(*tallied).Closed
}

func (s *tallied) Report(p *analysis.Pass) {
	p.Report(analysis.Finding{Title: fmt.Sprintf("%d observed, %d closed", s.Observed, s.Closed)})
}

func TestWhatIsNotSelectedEndsRequestsAndReachesTheFacts(t *testing.T) {
	a := &analysis.Analyzer{
		Name: "tallied",
		Keys: func(_ *audit.Event, keys []analysis.Key) []analysis.Key { return append(keys, analysis.Key{}) },
		New:  func() analysis.State { return new(tallied) },
	}
	log := parser.NewLog("audit.log", strings.NewReader(event(1)+event(2)+event(3)))
	until := audit.Time(1_767_603_602_000_000)
	r := driver.Run(t.Context(), []*parser.Log{log}, driver.Options{
		Analyzers: []*analysis.Analyzer{a}, Select: func() func(*audit.Event) bool { return func(e *audit.Event) bool { return e.At < until } },
	})
	if got := r.Findings[0].Title; got != "1 observed, 2 closed" {
		t.Errorf("got %s", got)
	}
	if r.Facts.Events != 3 || r.Input.Events != 3 {
		t.Errorf("facts of %d events, input of %d; want 3", r.Facts.Events, r.Input.Events)
	}
}

func TestAnObserverGetsEachSelectedEventOnceFromOneWorker(t *testing.T) {
	data := strings.Repeat(event(1)+event(2), 500)
	var seen []*int
	r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", strings.NewReader(data))}, driver.Options{
		Workers: 3, Parser: parser.Options{ChunkSize: 1000},
		Select: func() func(*audit.Event) bool {
			odd := false
			return func(*audit.Event) bool { odd = !odd; return odd }
		},
		Observe: func() func(*audit.Event) {
			n := new(int)
			seen = append(seen, n)
			return func(*audit.Event) { *n++ }
		},
	})
	total := 0
	for _, n := range seen {
		total += *n
	}
	if len(seen) != 3 || int64(total) != *r.Input.Selected || total < 499 || total > 501 {
		t.Errorf("%d observers got %d events, %d were selected; want 3 that get half of 1000", len(seen), total, *r.Input.Selected)
	}
}

func TestProgressEndsWithAllThatWasRead(t *testing.T) {
	var told []driver.Progress
	data := strings.Repeat(event(1), 100)
	driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", strings.NewReader(data))}, driver.Options{
		Workers: 4, Parser: parser.Options{ChunkSize: 1000},
		Progress: func(p driver.Progress) { told = append(told, p) },
	})
	want := driver.Progress{Events: 100, Bytes: int64(len(data))}
	if len(told) < 10 || told[len(told)-1] != want {
		t.Errorf("told %d times, at last %+v; want at least 10 and %+v", len(told), told[len(told)-1], want)
	}
}

// TestWhatIsReadableOfADamagedFileIsUsed cuts a packed log in the middle.
func TestWhatIsReadableOfADamagedFileIsUsed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for n := range 5000 {
		fmt.Fprint(z, event(n%60))
	}
	z.Close()
	half := packed.Bytes()[:packed.Len()/2]
	var said []string
	for _, size := range []int{1000, 1 << 20} {
		r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log.gz", bytes.NewReader(half))}, driver.Options{Parser: parser.Options{ChunkSize: size}})
		said = append(said, fmt.Sprint(r.Input.Events, r.Input.Skipped, r.Input.Errors, r.Partial))
		if n := r.Input.Events; n < 1000 || n > 4000 || len(r.Input.Errors) != 1 {
			t.Errorf("%d events are read, errors %v; want about 2500 and one error", n, r.Input.Errors)
		}
	}
	if said[0] != said[1] || !strings.Contains(said[0], "audit.log.gz: the gzip data ends too early") {
		t.Errorf("chunks of 1000 bytes: %s\nof 1 MiB: %s", said[0], said[1])
	}
}

// TestWholeRecordingsDoNotDependOnWorkers reads the recordings that stand
// beside the repository, where they do: they are too large for it.
func TestWholeRecordingsDoNotDependOnWorkers(t *testing.T) {
	folders, err := filepath.Glob("../../../shared/lab/*-*")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() { // beside the race detector, which takes twenty times as long
		folders = folders[:min(4, len(folders))]
	}
	for _, folder := range folders {
		var said [2]string
		for i, workers := range []int{1, 3} {
			r := driver.Run(t.Context(), parser.Find([]string{folder}, nil).Logs, driver.Options{Workers: workers, Analyzers: analyzers.All()})
			said[i] = fmt.Sprintf("%+v\n%+v", r.Findings, r.Input)
		}
		if said[0] != said[1] {
			t.Errorf("%s: one worker and three differ (-one +three)\n%s", folder, cmp.Diff(said[0], said[1]))
		}
	}
}
