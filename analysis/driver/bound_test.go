package driver_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/parser"
)

// TestTextsOfMegabytesAreNotHeld reads requests that timed out, each with names of its
// own of a quarter of a megabyte: clients are told apart by them, and what is
// kept of each is bounded.
func TestTextsOfMegabytesAreNotHeld(t *testing.T) {
	const requests, size = 200, 256 << 10
	reader, w := io.Pipe()
	go func() {
		filler := strings.Repeat("x", size)
		for i := range requests {
			fmt.Fprintf(w, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"%[1]d-%[2]s","stage":"ResponseComplete",`+
				`"requestURI":"/api/v1/namespaces/shop/pods","verb":"get","user":{"username":"%[2]s%[1]d"},"userAgent":"%[2]s%[1]d","sourceIPs":["%[2]s%[1]d"],`+
				`"objectRef":{"resource":"pods","namespace":"%[2]s%[1]d","name":"%[2]s%[1]d","apiVersion":"v1"},"responseStatus":{"code":504},`+
				`"requestReceivedTimestamp":"2026-01-05T09:00:00.%06[1]dZ","stageTimestamp":"2026-01-05T09:00:00.%06[1]dZ"}`+"\n", i, filler)
		}
		w.Close()
	}()
	result := driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", reader)}, driver.Options{Analyzers: analyzers.All()})
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	clients := map[string]bool{}
	for _, f := range result.Findings {
		clients[f.Subject.User] = true
	}
	if result.Input.Events != requests || len(clients) != requests {
		t.Errorf("%d events of %d clients were read", result.Input.Events, len(clients))
	}
	if after.HeapAlloc > requests*size {
		t.Errorf("%d MiB are held; a text of each event takes %d", after.HeapAlloc>>20, requests*size>>20)
	}
}
