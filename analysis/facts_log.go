package analysis

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// coverWords is how many words the bits of a log's cover take, 32 KiB at most: enough for
// steps of 5 s in a log of a week, and of 20 s in one of a month.
const coverWords = 2048

// logFacts are what is known of one log, which is that of one API server as a rule.
type logFacts struct {
	Cover  tally.Presence          `json:"cover"`
	Span   tally.Span              `json:"span"`
	Server tally.Cells[ownSigns]   `json:"server"`
	Cuts   tally.Cells[cutWatches] `json:"cuts"`
	Crew   tally.Intervals         `json:"crew"`             // see observeCrew
	Speaks bool                    `json:"speaks,omitempty"` // the log has requests of its API server

	Unready tally.Cells[unready] `json:"unready"`
	Refused tally.Cells[refused] `json:"refused"`
	Through tally.Cells[longest] `json:"through"`
	Beats   tally.Cells[version] `json:"beats"` // see observeBeat

	IDs    requestIDs       `json:"ids"`
	Ended  bool             `json:"ended,omitempty"` // audit events have the ends of requests, which a policy may leave out
	Begun  requestIDs       `json:"begun"`           // sessions whose beginnings are in audit events
	Taken  requestIDs       `json:"taken"`           // requests whose receipts are in audit events
	Places anchors          `json:"places"`
	Unread []tally.Interval `json:"unread,omitempty"` // see Facts.LeaveHole
}

func newLogFacts() *logFacts {
	return &logFacts{
		Cover:  tally.Presence{Cover: tally.Cover{Cap: coverWords}},
		Server: tally.Cells[ownSigns]{Cap: serverCells},
		Cuts:   tally.Cells[cutWatches]{Cap: cutCells},
		Crew:   tally.Intervals{Cap: crewWrites},

		Unready: tally.Cells[unready]{Cap: unreadyCells},
		Refused: tally.Cells[refused]{Cap: refusedCells},
		Through: tally.Cells[longest]{Cap: throughCells},
	}
}

func (l *logFacts) observe(e *audit.Event) {
	l.Span.Add(e.At)
	l.Cover.Add(e.At)
	l.observeServer(e)
	l.observeCut(e)
	l.observeProbe(e)
	l.observeRefused(e)
	l.observeThrough(e)
	l.observeBeat(e)
	switch {
	case e.Final():
		l.IDs.observe(e)
		l.Ended = l.Ended || e.Origin == audit.OriginAudit
	case e.Origin == audit.OriginAudit && isSession(e):
		l.Begun.observe(e)
	}
	if e.Stage == audit.StageRequestReceived {
		l.Taken.observe(e)
	}
	if e.Origin == audit.OriginAudit {
		l.Places.observe(e)
	}
}

// isSession reports whether a request that has not ended takes over a connection.
func isSession(e *audit.Event) bool {
	switch e.Subresource {
	case audit.SubExec, audit.SubAttach, audit.SubPortForward:
		return true
	}
	return e.Code == 101
}

func (l *logFacts) merge(o *logFacts) {
	l.Cover.Merge(&o.Cover)
	l.Span.Merge(o.Span)
	l.Server.Merge(&o.Server)
	l.Cuts.Merge(&o.Cuts)
	l.Crew.Merge(&o.Crew)
	l.Speaks = l.Speaks || o.Speaks
	l.Unready.Merge(&o.Unready)
	l.Refused.Merge(&o.Refused)
	l.Through.Merge(&o.Through)
	l.Beats.Merge(&o.Beats)
	l.IDs.merge(&o.IDs)
	l.Ended = l.Ended || o.Ended
	l.Begun.merge(&o.Begun)
	l.Taken.merge(&o.Taken)
	l.Places.merge(&o.Places)
	l.Unread = append(l.Unread, o.Unread...)
}

// minHole is the shortest silence that is called a hole: two steps of the cover, and the
// longest time that passes at a busy API server without the renewal of any lease.
const minHole = 10 * time.Second

// Holes returns the times in which a log is silent although it has events all the time
// before and after: lines were lost, or the API server was down. A hole is from the last
// event before it to the first one after it.
//
// A log of few lines is silent most of the time. So a silence is a hole only if it lasts
// minHole or longer, if by chance, given how much of the rest of the log is covered, less
// than one log in a hundred had so long a silence, and if a quarter of the minute on
// either side of it is covered. The time between a log and the next one, in which no log
// has events, is a hole of the former.
func (f *Facts) Holes(log string) []tally.Interval {
	return f.holes.get(f, log, func() []tally.Interval {
		l := f.Logs[log]
		if l == nil {
			return nil
		}
		holes := append(l.findHoles(), l.Unread...)
		if between := f.between(log); between.Len() > 0 {
			holes = append(holes, between)
		}
		return holes
	})
}

// LeaveHole adds a hole that is no silence: a part of a log that was not read, though those
// before and after it were. An interrupted run leaves such a hole if rotated parts are read
// side by side.
func (f *Facts) LeaveHole(file string, from, to audit.Time) {
	for name, log := range f.Logs {
		if name == file || strings.HasPrefix(name, file+"#") {
			log.Unread = append(log.Unread, tally.Interval{From: from, To: to})
		}
	}
	f.holes.forget()
}

func (l *logFacts) findHoles() []tally.Interval {
	span, ok := l.Cover.Span()
	if !ok {
		return nil
	}
	step := l.Cover.Step()
	spoken, total := float64(l.Cover.Steps()), float64(span.Len()/step)
	var holes []tally.Interval
	exact := l.Cover.Gaps(minHole)
	for i, gap := range l.Cover.Cover.Gaps(minHole) {
		silent := float64(gap.Len() / step)
		if unlikely(spoken, total-silent, silent) && l.speaks(gap.From.Add(-aside), gap.From) && l.speaks(gap.To, gap.To.Add(aside)) {
			holes = append(holes, exact[i])
		}
	}
	return holes
}

// unlikely reports whether, by chance, a row of so many silent steps were in less than one
// log in a hundred that has events in spoken of its total steps.
func unlikely(spoken, total, silent float64) bool {
	share := min(spoken/total, 0.999)
	return total*math.Pow(1-share, silent) < 0.01
}

// endsAtOnce reports whether a log has so many events, until its end, that a silence as
// long as the one behind it is unlikely.
func (l *logFacts) endsAtOnce(behind tally.Interval) bool {
	span, _ := l.Cover.Span()
	step := l.Cover.Step()
	return unlikely(float64(l.Cover.Steps()), float64(span.Len()/step), float64(behind.Len()/step)) && l.speaks(behind.From.Add(-aside), behind.From)
}

// aside is how long before and after a hole the log must have events.
const aside = time.Minute

// speaks reports whether a quarter of [from, to] is covered.
func (l *logFacts) speaks(from, to audit.Time) bool {
	step := audit.Time(l.Cover.Step().Microseconds())
	covered, all := 0, 0
	for t := from; t < to; t += step {
		all++
		if l.Cover.Any(t, min(t+step, to)-1) {
			covered++
		}
	}
	return 4*covered >= all
}

// LogEnds reports whether a log has the ends of requests as audit events.
func (f *Facts) LogEnds(log string) bool {
	l := f.Logs[log]
	return l != nil && l.Ended
}

// rarelyQuiet is the largest share of steps without events in a log in which one more such
// step means that lines may be missing.
const rarelyQuiet = 0.05

// Paused reports whether a log that has events in nearly every step of its cover (5 s in a
// log of up to a week) has none in one of the two steps after that of t: too short for a
// hole, but lines may be missing there.
func (f *Facts) Paused(log string, t audit.Time) bool {
	l := f.Logs[log]
	if l == nil {
		return false
	}
	span, _ := l.Cover.Span()
	step := l.Cover.Step()
	all := int(span.Len() / step)
	if quiet := all - l.Cover.Steps(); float64(quiet) > rarelyQuiet*float64(all) {
		return false
	}
	for i := range 2 {
		if after := t.Add(time.Duration(i+1) * step); !l.Cover.Any(after, after) {
			return true
		}
	}
	return false
}

// LogSpan returns when the log's first and last events were written.
func (f *Facts) LogSpan(log string) tally.Span {
	if l := f.Logs[log]; l != nil {
		return l.Span
	}
	return tally.Span{}
}

// Spoke reports whether the log has an event in [from, to], to within a step of its cover
// (5 s in a log of up to a week).
func (f *Facts) Spoke(log string, from, to audit.Time) bool {
	l := f.Logs[log]
	return l != nil && l.Cover.Any(from, to)
}

// InHole reports whether [from, to] overlaps a hole of any of the logs, or the time between
// a stray and its log: who is silent then may have been heard all the same.
func (f *Facts) InHole(from, to audit.Time) bool {
	for name, log := range f.Logs {
		step := log.Cover.Step() // a silence may be longer than its hole by that much
		ask := tally.Interval{From: from.Add(-step), To: to.Add(step)}
		for _, hole := range f.Holes(name) {
			if hole.Overlaps(ask) {
				return true
			}
		}
	}
	return slices.ContainsFunc(f.strays, func(s stray) bool { return s.away.Overlaps(tally.Interval{From: from, To: to}) })
}
