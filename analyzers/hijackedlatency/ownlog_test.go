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
