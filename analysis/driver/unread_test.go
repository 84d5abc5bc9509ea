package driver_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
)

// TestWhatAnInterruptedRunLeavesUnreadIsAHole reads two parts side by side. The
// first stalls at its second event, and the run is interrupted when the second
// part was read: what is between them is no silence of the cluster's.
func TestWhatAnInterruptedRunLeavesUnreadIsAHole(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // so many parts are read side by side
	stalled, writer := io.Pipe()
	go io.WriteString(writer, event(1)+event(2)+event(3)[:100])
	log := &parser.Log{Name: "audit.log", Parts: append(
		parser.NewLog("audit-1.log", stalled).Parts, parser.NewLog("audit.log", strings.NewReader(event(40)+event(41))).Parts...)}
	ctx, interrupt := context.WithCancel(t.Context())
	r := driver.Run(ctx, []*parser.Log{log}, driver.Options{
		Workers: 2, Parser: parser.Options{ChunkSize: len(event(1))},
		Progress: func(p driver.Progress) {
			if p.Events == 4 {
				interrupt()
			}
		},
	})
	holes := r.Facts.Holes("audit.log")
	if !r.Partial || len(holes) != 1 {
		t.Fatalf("partial %v with holes %v, want one", r.Partial, holes)
	}
	if got := holes[0].Len(); got != 38*time.Second {
		t.Errorf("the hole is of %s, want from second 2 to second 40", got)
	}
	notes := r.Facts.Notes()
	if len(notes) == 0 || !strings.Contains(notes[0].Text, "audit.log was not read for 38s because the run was interrupted") {
		t.Errorf("the notes say %v", notes)
	}
}
