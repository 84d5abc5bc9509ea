package parser

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/kaudit/kaudit/fixtures"
)

// TestOneRunInSeveralShapesHasTheSameEvents reads the recorded run of an API
// server that logged to standard output: from fixtures, and all shapes of it
// where they lie beside the repository. Each has its 2,804 events; what has
// none of them holds the server's own log alone.
func TestOneRunInSeveralShapesHasTheSameEvents(t *testing.T) {
	const events = 2804
	own := map[string]bool{"only-stderr.log.gz": true, "capture.tsv.gz": true}
	beside, err := filepath.Glob("../../shared/lab/g-kubectl-logs-mix/*.gz")
	if err != nil {
		t.Fatal(err)
	}
	data, err := fixtures.FS.ReadFile("g-kubectl-logs-mix/kubectl-logs.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	logs := []*Log{NewLog("kubectl-logs.log.gz", bytes.NewReader(data))}
	for _, name := range beside {
		if !own[filepath.Base(name)] {
			logs = append(logs, Find([]string{name}, nil).Logs...)
		}
	}
	for _, log := range logs {
		n := 0
		r := NewReader([]*Log{log}, Options{})
		var chunk Chunk
		var d Decoder
		for r.Next(t.Context(), &chunk) == nil {
			for d.Reset(&chunk); d.Next(); {
				if d.Event().Level != 0 { // a request that the server's own log tells has none
					n++
				}
			}
		}
		r.Close()
		if n != events {
			t.Errorf("%s: %d events, want %d", log.Name, n, events)
		}
	}
}
