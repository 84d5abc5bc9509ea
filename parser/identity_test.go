package parser_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
)

// TestACarrierChangesNoFinding puts the log of each case into every carrier
// that can hold it: but for their places, the findings are the same.
func TestACarrierChangesNoFinding(t *testing.T) {
	wrappers := parser.Wrappers(t)
	if len(wrappers) < 25 {
		t.Fatalf("%d carriers can hold events", len(wrappers))
	}
	found := 0
	for name, lines := range cases(t) {
		want, events, n := findings(t, bytes.Join(lines, []byte("\n")))
		found += n
		if events != len(lines) || lines[0][0] != '{' {
			continue // torn lines, and those in a carrier already
		}
		for carrier, wrap := range wrappers {
			got, read, _ := findings(t, wrap(lines))
			if read != events {
				t.Errorf("%s in %s: %d events of %d", name, carrier, read, events)
			} else if got != want {
				t.Errorf("%s in %s:\n%s", name, carrier, cmp.Diff(want, got))
			}
		}
	}
	if found < 30 {
		t.Errorf("the cases have %d findings", found)
	}
}

// cases returns the lines of each case's log.
func cases(t *testing.T) map[string][][]byte {
	t.Helper()
	all := map[string][][]byte{}
	names, err := fs.Glob(fixtures.FS, "cases/*/input.jsonl*")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		data, err := fixtures.FS.ReadFile(name)
		if err == nil && path.Ext(name) == ".gz" {
			data, err = gunzip(data)
		}
		if err != nil {
			t.Fatal(err)
		}
		all[path.Base(path.Dir(name))] = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	}
	return all
}

func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// findings returns what is found in a log, as JSON without places, and how
// many events and findings there are.
func findings(t *testing.T, data []byte) (text string, events, n int) {
	t.Helper()
	r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("log", bytes.NewReader(data))}, driver.Options{Workers: 1, Analyzers: analyzers.All()})
	for i := range r.Findings {
		for j := range r.Findings[i].Evidence {
			r.Findings[i].Evidence[j].Line = 0
		}
	}
	b, err := json.MarshalIndent(r.Findings, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b), int(r.Input.Events), len(r.Findings)
}
