package driver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
)

// recordings returns the fixtures by folder: the logs of one folder belong
// together. With -short, as where races are looked for, it returns the cases
// alone, which are small.
func recordings(t testing.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := fs.WalkDir(fixtures.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch base := path.Base(name); {
		case strings.HasSuffix(base, ".log.gz"), strings.HasPrefix(base, "input.jsonl"):
			folder, _, _ := strings.Cut(strings.TrimPrefix(name, "cases/"), "/")
			all[folder] = append(all[folder], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("only %d recordings are there", len(all))
	}
	if testing.Short() {
		maps.DeleteFunc(all, func(_ string, names []string) bool { return !strings.HasPrefix(names[0], "cases/") })
	}
	return all
}

// logs opens fixtures by name.
func logs(t testing.TB, names []string) []*parser.Log {
	t.Helper()
	var all []*parser.Log
	for _, name := range names {
		data, err := fixtures.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parser.NewLog(name, bytes.NewReader(data)))
	}
	return all
}

// outcome returns all that a run has found, and what it says of its input, as
// JSON.
func outcome(t *testing.T, names []string, o driver.Options) string {
	t.Helper()
	o.Analyzers = analyzers.All()
	r := driver.Run(context.Background(), logs(t, names), o)
	if r.Partial {
		t.Fatal("the result is partial")
	}
	out, err := json.MarshalIndent(map[string]any{
		"findings": r.Findings, "blind": r.Blind, "overflow": r.Overflow, "input": r.Input,
		"notes": r.Facts.Notes(), "overview": r.Facts.Overview(),
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestWhoPeeksChangesNothing makes findings again and again while logs are
// read, and expects the same at the end as of who does not look.
func TestWhoPeeksChangesNothing(t *testing.T) {
	peeks := 0
	for folder, names := range recordings(t) {
		if strings.HasPrefix(folder, "f-") {
			continue // it takes long, and holds the states of the others
		}
		want := outcome(t, names, driver.Options{Workers: 1})
		for _, workers := range []int{1, 3} {
			got := outcome(t, names, driver.Options{
				Workers: workers, Parser: parser.Options{ChunkSize: 10_000},
				Peek: func([]analysis.Finding) { peeks++ }, PeekEvery: 1,
			})
			if got != want {
				t.Errorf("%s, %d workers: what was found differs (-want +got):\n%s", folder, workers, cmp.Diff(want, got))
			}
		}
	}
	if recorded := len(recordings(t)); peeks < recorded {
		t.Errorf("%d peeks into %d recordings: who is to be heard must look more often", peeks, recorded)
	}
}

// leastChunk are recordings for which a chunk a line takes too long.
var leastChunk = map[string]int{
	"f-big-normal-metadata": 2000,
	"j-balancer-and-fight":  2000,
	"g-kubectl-logs-mix":    300, // traces are kept whole, and so are looked at again with each line
}

// TestWorkersAndChunksDoNotShowInTheResult reads every fixture with every
// analyzer, by one worker in one chunk, and then by others.
func TestWorkersAndChunksDoNotShowInTheResult(t *testing.T) {
	for folder, names := range recordings(t) {
		t.Run(folder, func(t *testing.T) {
			want := outcome(t, names, driver.Options{Workers: 1, Parser: parser.Options{ChunkSize: 8 << 20}})
			for _, c := range []struct{ workers, chunk int }{{1, 1}, {2, 64 << 10}, {3, 5000}, {8, 1 << 20}, {8, 1}} {
				if least := leastChunk[folder]; c.chunk < least {
					c.chunk = least
				}
				got := outcome(t, names, driver.Options{Workers: c.workers, Parser: parser.Options{ChunkSize: c.chunk}})
				if got != want {
					t.Fatalf("%d workers, chunks of %d bytes (-one worker, one chunk +these)\n%s", c.workers, c.chunk, cmp.Diff(want, got))
				}
			}
		})
	}
}

// TestEvidenceStandsWhereItSays looks up every line that a finding cites.
func TestEvidenceStandsWhereItSays(t *testing.T) {
	cited := 0
	for folder, names := range recordings(t) {
		lines := map[string][]string{}
		for _, name := range names {
			lines[name] = strings.Split(text(t, name), "\n")
		}
		r := driver.Run(context.Background(), logs(t, names), driver.Options{Analyzers: analyzers.All(), Parser: parser.Options{ChunkSize: 3000}})
		for _, f := range r.Findings {
			for _, e := range f.Evidence {
				cited++
				if e.Line < 1 || e.Line > len(lines[e.Source]) {
					t.Errorf("%s: %s cites line %d of %s, which has %d", folder, f.ID, e.Line, e.Source, len(lines[e.Source]))
					continue
				}
				line := lines[e.Source][e.Line-1]
				if !strings.Contains(line, `"auditID":"`+e.AuditID+`"`) || !strings.Contains(line, `"stage":"`+e.Stage.String()+`"`) {
					t.Errorf("%s: %s cites %s:%d for %s in stage %s; there stands %.200s", folder, f.ID, e.Source, e.Line, e.AuditID, e.Stage, line)
				}
			}
		}
	}
	if cited < 100 {
		t.Errorf("only %d lines are cited", cited)
	}
}

// text returns what a fixture holds, unpacked.
func text(t testing.TB, name string) string {
	t.Helper()
	var out strings.Builder
	r := parser.NewReader(logs(t, []string{name}), parser.Options{Ordered: true})
	defer r.Close()
	var c parser.Chunk
	for r.Next(context.Background(), &c) == nil {
		out.Write(c.Data)
	}
	return out.String()
}

func TestDisorderIsCountedAcrossChunksAndParts(t *testing.T) {
	line := func(second int) string {
		return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete","requestURI":"/healthz","verb":"get","stageTimestamp":"2026-01-05T09:00:%02d.000000Z"}`+"\n", second)
	}
	for _, size := range []int{1, 400, 1 << 20} {
		parts := []*parser.Log{{Name: "audit.log", Parts: []*parser.Part{
			parser.NewLog("old", strings.NewReader(line(1)+line(3)+line(2)+line(4))).Parts[0],
			parser.NewLog("new", strings.NewReader(line(3)+line(5))).Parts[0],
		}}}
		r := driver.Run(context.Background(), parts, driver.Options{Workers: 3, Parser: parser.Options{ChunkSize: size}})
		if r.Input.OutOfOrder != 2 || r.Input.Events != 6 {
			t.Errorf("chunks of %d bytes: %d of %d events are out of order, want 2 of 6", size, r.Input.OutOfOrder, r.Input.Events)
		}
	}
}

func TestDedupeDropsWhatTwoLogsHold(t *testing.T) {
	const a, b = "h-ha-two-apiservers/cp1/audit.log.gz", "h-ha-two-apiservers/cp2/audit.log.gz"
	plain := driver.Run(context.Background(), logs(t, []string{a, b}), driver.Options{Analyzers: analyzers.All()})
	twice := append(logs(t, []string{a, b}), parser.NewLog("copy", strings.NewReader(text(t, a))))
	deduped := driver.Run(context.Background(), twice, driver.Options{Analyzers: analyzers.All(), Dedupe: true, Workers: 4})
	if deduped.Input.Events != plain.Input.Events || deduped.Input.Duplicates == nil || *deduped.Input.Duplicates != 1453 {
		t.Errorf("got %d events and %v duplicates, want %d and 1453", deduped.Input.Events, deduped.Input.Duplicates, plain.Input.Events)
	}
	if plain.Input.Duplicates != nil {
		t.Error("duplicates are counted without being asked for")
	}
}

func TestADoneContextGivesAPartialResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := driver.Run(ctx, logs(t, []string{"a-stuck-metadata-same/audit.log.gz"}), driver.Options{Analyzers: analyzers.All()})
	if !r.Partial {
		t.Error("the result of an interrupted run is not partial")
	}
}

func TestAnInputWithoutEventsIsAnErrorIfItWasNamed(t *testing.T) {
	r := driver.Run(context.Background(), []*parser.Log{parser.NewLog("notes.txt", strings.NewReader("hello\n"))}, driver.Options{})
	if got := fmt.Sprint(r.Input.Errors); got != "[notes.txt: no audit event in it; it looks like text of another kind]" {
		t.Errorf("got errors %s", got)
	}
	if len(r.Input.Refused) != 1 || r.Input.Refused[0] != (driver.Refused{Source: "notes.txt", Line: 1, Kind: "foreign", Why: "text that is no JSON"}) {
		t.Errorf("got refused %v", r.Input.Refused)
	}
}
