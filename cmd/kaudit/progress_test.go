package main

import (
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis/driver"
)

func TestProgressTellsWhatIsKnown(t *testing.T) {
	read := driver.Progress{Events: 1000, Bytes: 80_000_000}
	for _, c := range []struct {
		name  string
		state readState
		took  time.Duration
		found int64
		want  string
	}{
		{"a file", readState{files: 1, taken: 25, size: 100}, 4 * time.Second, 0, "1000 events, 80.0 MB, 20 MB/s, 25 %, 12s left"},
		{"files", readState{files: 3, ended: 1, taken: 50, size: 100}, 2 * time.Second, 1, "1 finding so far, 1000 events, 80.0 MB, 40 MB/s, 1 of 3 files, 50 %, 2s left"},
		{"a pipe has no end that is known", readState{files: 1, endless: true}, 2 * time.Second, 0, "1000 events, 80.0 MB, 40 MB/s"},
		{"a file beside a pipe", readState{files: 2, taken: 50, size: 50, ended: 1, endless: true}, 2 * time.Second, 0, "1000 events, 80.0 MB, 40 MB/s, 1 of 2 files"},
		{"too early for a rate", readState{files: 1, taken: 25, size: 100}, time.Second / 2, 0, "1000 events, 80.0 MB, 25 %"},
	} {
		if got := c.state.tell(read, c.took, c.found); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
