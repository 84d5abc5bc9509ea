package driver_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/parser"
)

// FuzzRun: whatever a log holds, no analyzer panics, and two workers with
// small chunks say what one with a large chunk does.
func FuzzRun(f *testing.F) {
	for folder, names := range recordings(f) {
		if folder[0] < '0' || folder[0] > '9' {
			continue // only the small ones, and of them a few lines that differ
		}
		lines := slices.Collect(strings.Lines(text(f, names[0])))
		step := len(lines)/10 + 1
		var some strings.Builder
		for i := 0; i < len(lines); i += step {
			some.WriteString(lines[i])
		}
		f.Add([]byte(some.String()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var said [2]string
		for i, o := range []driver.Options{
			{Workers: 1, Parser: parser.Options{ChunkSize: 1 << 20}},
			{Workers: 2, Parser: parser.Options{ChunkSize: 700}},
		} {
			o.Analyzers = analyzers.All()
			r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", bytes.NewReader(data))}, o)
			raw, err := json.MarshalIndent([]any{r.Findings, r.Facts, r.Input.Refused, r.Input.Skipped, r.Input.OutOfOrder, r.Input.Lines, r.Input.Bytes}, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			said[i] = string(raw)
		}
		if said[0] != said[1] {
			t.Errorf("one worker and two differ (-one +two)\n%s", cmp.Diff(said[0], said[1]))
		}
	})
}
