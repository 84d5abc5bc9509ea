package main

import (
	"io"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis/driver"
)

func TestProgressTellsWhatIsKnown(t *testing.T) {
	read := driver.Progress{Events: 1000, Bytes: 80_000_000}
	for _, c := range []struct {
		name  string
		state readState
		found int64
		want  string
	}{
		{"a file", readState{files: 1, taken: 25, size: 100}, 0, "1000 events, 80.0 MB  [==========>                              ] 25%"},
		{"files", readState{files: 3, ended: 1, taken: 50, size: 100}, 1, "1 finding so far, 1000 events, 80.0 MB, 1 of 3 files  [====>    ] 50%"},
		{"a pipe has no end that is known", readState{files: 1, endless: true}, 0, "1000 events, 80.0 MB"},
		{"a file beside a pipe", readState{files: 2, taken: 50, size: 50, ended: 1, endless: true}, 2, "2 findings so far, 1000 events, 80.0 MB, 1 of 2 files"},
	} {
		bar := newBar(io.Discard).SetWidth(70)
		c.state.show(bar, read, c.found)
		if bar.Current() != read.Bytes {
			t.Errorf("%s: the rate is of %d bytes, want %d", c.name, bar.Current(), read.Bytes)
		}
		if got := strings.TrimSpace(bar.String()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
