package driver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/parser"
)

// TestASecondCopyChangesNothing reads recordings twice over. What is found is
// what is found in the first copy alone, with its lines as evidence.
func TestASecondCopyChangesNothing(t *testing.T) {
	for _, name := range []string{"a-stuck-metadata-same/audit.log.gz", "d-heartbeat-gap/audit.log.gz"} {
		data := text(t, name)
		run := func(o driver.Options, names ...string) *driver.Result {
			var all []*parser.Log
			for _, name := range names {
				all = append(all, parser.NewLog(name, strings.NewReader(data)))
			}
			o.Analyzers = analyzers.All()
			return driver.Run(t.Context(), all, o)
		}
		want := run(driver.Options{}, "cp1")
		for _, o := range []driver.Options{{Workers: 1}, {Workers: 4, Parser: parser.Options{ChunkSize: 5000}}} {
			o.Dedupe = true
			got := run(o, "cp1", "cp2")
			if diff := cmp.Diff(want.Findings, got.Findings); diff != "" {
				t.Errorf("%s: (-one copy +two copies)\n%s", name, diff)
			}
			if n := got.Input.Duplicates; n == nil || *n != want.Input.Events || got.Input.Events != want.Input.Events {
				t.Errorf("%s: %d events are left of %d and a copy of each", name, got.Input.Events, want.Input.Events)
			}
		}
	}
}

// TestDedupeLooksWhereTwoLogsCoverATime: an event can't be in a log that
// covers another time, so one that is there twice was meant.
func TestDedupeLooksWhereTwoLogsCoverATime(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"a.log": event(1) + event(1) + event(2) + event(59),
		"b.log": strings.ReplaceAll(event(1)+event(1), "09:00:", "10:00:"),
		"c.log": event(50) + event(59),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for names, want := range map[string]string{
		"a.log b.log":       "6 events, 0 duplicates",
		"a.log c.log":       "5 events, 1 duplicates",
		"c.log a.log b.log": "7 events, 1 duplicates",
		"a.log":             "4 events, 0 duplicates",
	} {
		var paths []string
		for name := range strings.FieldsSeq(names) {
			paths = append(paths, filepath.Join(dir, name))
		}
		in := driver.Run(t.Context(), parser.Find(paths, nil).Logs, driver.Options{Dedupe: true}).Input
		if got := fmt.Sprintf("%d events, %d duplicates", in.Events, *in.Duplicates); got != want {
			t.Errorf("%s: got %s, want %s", names, got, want)
		}
	}
}
