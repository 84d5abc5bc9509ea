package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// A meter shows on a terminal how much was read so far, and how long the rest
// will take. It is a line that is written over; a library for bars would add
// nothing to it.
type meter struct {
	w     io.Writer
	logs  []*parser.Log
	begun time.Time
	last  time.Time
	shown bool

	found atomic.Int64 // findings so far
}

// betweenShows is often enough to look alive.
const betweenShows = 100 * time.Millisecond

// newMeter returns a meter on w, which shows nothing if w is no terminal or
// the user wants quiet.
func newMeter(w io.Writer, quiet bool, logs []*parser.Log) *meter {
	if quiet || !isTerminal(w) {
		w = nil
	}
	now := time.Now()
	return &meter{w: w, logs: logs, begun: now, last: now}
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
	fmt.Fprintf(m.w, "\r%s\x1b[K", stateOf(m.logs).tell(p, now.Sub(m.begun), m.found.Load()))
}

// betweenPeeks is how long a reader waits for the next count of findings.
const betweenPeeks = 2 * time.Second

// peek returns what counts the findings so far, as many as the report would
// show; nil if nobody sees it.
func (m *meter) peek(shown report.Options) func([]analysis.Finding) {
	if m.w == nil {
		return nil
	}
	return func(findings []analysis.Finding) {
		so := report.Report{Findings: findings}
		m.found.Store(int64(len(so.Shown(shown))))
	}
}

// clear takes the line back, so that the report begins on an empty one.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}

// A readState is how far the reading of files is.
type readState struct {
	files, ended int
	taken, size  int64 // of files, as they are packed
	endless      bool  // one of them is a pipe
}

func stateOf(logs []*parser.Log) (s readState) {
	for _, log := range logs {
		for _, part := range log.Parts {
			taken, size := part.Taken()
			s.files++
			s.taken, s.size = s.taken+taken, s.size+size
			s.endless = s.endless || size == 0
			if size > 0 && taken == size {
				s.ended++
			}
		}
	}
	return s
}

// tell says in a line how much was read after a time, and what was found in it.
func (s readState) tell(p driver.Progress, took time.Duration, found int64) string {
	text := fmt.Sprintf("%d events, %.1f MB", p.Events, float64(p.Bytes)/1e6)
	switch {
	case found == 1:
		text = "1 finding so far, " + text
	case found > 1:
		text = fmt.Sprintf("%d findings so far, %s", found, text)
	}
	if took >= time.Second {
		text += fmt.Sprintf(", %.0f MB/s", float64(p.Bytes)/1e6/took.Seconds())
	}
	if s.files > 1 {
		text += fmt.Sprintf(", %d of %d files", s.ended, s.files)
	}
	if s.endless || s.taken == 0 {
		return text
	}
	text += fmt.Sprintf(", %d %%", 100*s.taken/s.size)
	if took >= time.Second {
		left := time.Duration(float64(took) * float64(s.size-s.taken) / float64(s.taken))
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}
