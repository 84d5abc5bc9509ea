package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// A meter shows on a terminal how much was read so far, and how long the rest
// will take.
type meter struct {
	w    io.Writer
	logs []*parser.Log
	last time.Time
	bar  *pb.ProgressBar // if it was shown

	found atomic.Int64 // findings so far
}

// barTemplate is the meter's line for package pb: it has a bar, a percentage and
// the time left only if the total is known.
const barTemplate = `{{string . "read"}}{{speed . ", %s/s" " "}}` +
	`{{if .Total}} {{bar . "[" "=" ">" " " "]"}} {{percent . "%.0f%%"}}{{rtime . ", %s left" " " " "}}{{end}}`

// betweenShows is the least time between two updates of the line.
const betweenShows = 100 * time.Millisecond

// newMeter returns a meter on w, which shows nothing if w is no terminal or
// the user wants quiet.
func newMeter(w io.Writer, quiet bool, logs []*parser.Log) *meter {
	if quiet || !isTerminal(w) {
		w = nil
	}
	return &meter{w: w, logs: logs, last: time.Now()}
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
	m.last = now
	if m.bar == nil {
		m.bar = newBar(m.w)
	}
	stateOf(m.logs).show(m.bar, p, m.found.Load())
	m.bar.Write()
}

// newBar returns a bar that is drawn only by Write, and is erased by Finish.
func newBar(w io.Writer) *pb.ProgressBar {
	return pb.ProgressBarTemplate(barTemplate).New(0).SetWriter(w).SetWidth(textWidth(w)).
		Set(pb.Static, true).Set(pb.CleanOnFinish, true).Set(pb.Bytes, true).Set(pb.SIBytesPrefix, true).Start()
}

// betweenPeeks is how often the count of findings is updated.
const betweenPeeks = 2 * time.Second

// peek returns a driver.Options.Peek that counts the findings that the report
// would show so far, or nil if the meter shows nothing.
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
	if m.bar != nil {
		m.bar.Finish().Write()
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

// show updates the bar. Sizes are known of files as they are packed, but the bar
// counts unpacked bytes, so the total is an estimate.
func (s readState) show(bar *pb.ProgressBar, p driver.Progress, found int64) {
	total := int64(0)
	if !s.endless && s.taken > 0 {
		total = int64(float64(p.Bytes) / float64(s.taken) * float64(s.size)) // unpacked, if the rest is packed as tightly
	}
	bar.SetTotal(total).SetCurrent(p.Bytes).Set("read", s.tell(p, found))
}

// tell says what was read and found.
func (s readState) tell(p driver.Progress, found int64) string {
	text := fmt.Sprintf("%d events, %.1f MB", p.Events, float64(p.Bytes)/1e6)
	switch {
	case found == 1:
		text = "1 finding so far, " + text
	case found > 1:
		text = fmt.Sprintf("%d findings so far, %s", found, text)
	}
	if s.files > 1 {
		text += fmt.Sprintf(", %d of %d files", s.ended, s.files)
	}
	return text
}
