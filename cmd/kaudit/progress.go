package main

import (
	"fmt"
	"io"
	"time"

	"github.com/kaudit/kaudit/analysis/driver"
)

// A meter shows on a terminal how much was read so far.
type meter struct {
	w     io.Writer
	last  time.Time
	shown bool
}

// betweenShows is often enough to look alive.
const betweenShows = 100 * time.Millisecond

// newMeter returns a meter on w, which shows nothing if w is no terminal or
// the user wants quiet.
func newMeter(w io.Writer, quiet bool) *meter {
	if quiet || !isTerminal(w) {
		w = nil
	}
	return &meter{w: w, last: time.Now()}
}

// quietIf silences the meter where it would write between the lines of an
// answer.
func (m *meter) quietIf(shared bool) {
	if shared {
		m.w = nil
	}
}

func (m *meter) show(p driver.Progress) {
	now := time.Now()
	if m.w == nil || now.Sub(m.last) < betweenShows {
		return
	}
	m.last, m.shown = now, true
	fmt.Fprintf(m.w, "\r%d events in %.1f MB\x1b[K", p.Events, float64(p.Bytes)/1e6)
}

// clear takes the line back, so that the report begins on an empty one.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
