package analysis

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// coverWords is how many words a log's cover has: a step is 5 s for a week, 20 s
// for a month, in at most 32 KiB.
const coverWords = 2048

// logFacts are what is known of one log: one API server, as a rule.
type logFacts struct {
	Cover  tally.Cover           `json:"cover"`
	Span   tally.Span            `json:"span"`
	Server tally.Cells[ownSigns] `json:"server"` // of the API server's own doing
}

func newLogFacts() *logFacts { return &logFacts{Cover: tally.Cover{Cap: coverWords}} }

func (l *logFacts) observe(e *audit.Event) {
	l.Span.Add(e.At)
	l.Cover.Add(e.At)
	l.observeServer(e)
}

func (l *logFacts) merge(o *logFacts) {
	l.Cover.Merge(&o.Cover)
	l.Span.Merge(o.Span)
	l.Server.Merge(&o.Server)
}

// A silence of minHole is a hole: an API server speaks with itself every few
// seconds, and a node renews its lease every ten.
const minHole = 30 * time.Second

// Holes returns, by log, the stretches of minHole or more in which a log is
// silent between its first event and its last: lines that were lost, or an API
// server that was down. Logs without holes are absent.
func (f *Facts) Holes() map[string][]tally.Interval {
	holes := map[string][]tally.Interval{}
	for name, log := range f.Logs {
		if gaps := log.Cover.Gaps(minHole); len(gaps) > 0 {
			holes[name] = gaps
		}
	}
	return holes
}

// LogSpan returns when the log's first and last events were written.
func (f *Facts) LogSpan(log string) tally.Span {
	if l := f.Logs[log]; l != nil {
		return l.Span
	}
	return tally.Span{}
}

// InHole reports whether [from, to] meets a hole of the log.
func (f *Facts) InHole(log string, from, to audit.Time) bool {
	l := f.Logs[log]
	if l == nil {
		return false
	}
	for _, hole := range l.Cover.Gaps(minHole) {
		if hole.Overlaps(tally.Interval{From: from, To: to}) {
			return true
		}
	}
	return false
}
