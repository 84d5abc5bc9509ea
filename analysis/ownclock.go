package analysis

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// An ownClock sets right the times of a log that has no year and no zone in its times, so
// that both were guessed.
type ownClock struct {
	late time.Duration // what is to be added, if sure
	sure bool

	span      tally.Span    // if not sure: of audit events; a year is to bring times into it
	same      bool          // span is of the same log, so a zone is to bring times into it too
	zone      time.Duration // what is to be added after the year, if zoneKnown
	zoneKnown bool          // by the audit events between which lines stand
}

// maxZone is how far zones differ from UTC.
const maxZone = 14 * time.Hour

// zoneStep divides all differences of zones from UTC, and the lengths of years.
const zoneStep = 15 * time.Minute

// clockOf finds the clock of a log: by requests that are in an audit log too, or else by
// the times of the audit events in the same log, or in any.
func (f *Facts) clockOf(log string) ownClock {
	if _, later := f.twin(log); len(later) > 0 {
		return ownClock{late: later[len(later)/2].Round(zoneStep), sure: true}
	}
	if l := f.Logs[log]; l != nil {
		clock := ownClock{span: l.Span, same: true}
		clock.zone, clock.zoneKnown = l.Places.zoneOf(f.Own.guessedOf(log, ownClock{span: l.Span}))
		return clock
	}
	return ownClock{span: f.Span}
}

// guessedOf returns the lines of a log whose times are a guess, with the year set right by
// a clock.
func (f *ownFacts) guessedOf(log string, clock ownClock) (refs []audit.Ref) {
	for _, lines := range f.Lines {
		for _, row := range lines.Table.rows {
			if line := row.value; line.Guessed && line.Log == log {
				ref := line.Ref
				ref.Time = clock.right(ref.Time)
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// right returns the time for a guessed one.
func (c ownClock) right(guess audit.Time) audit.Time {
	if c.sure {
		return guess.Add(c.late)
	}
	if c.span.Empty() {
		return guess
	}
	best := guess
	for year := c.span.First.Std().Year() - 1; year <= c.span.Last.Std().Year()+1; year++ {
		std := guess.Std()
		at := audit.TimeOf(std.AddDate(year-std.Year(), 0, 0))
		if away(at, c.span) < away(best, c.span) {
			best = at
		}
	}
	if c.zoneKnown {
		return best.Add(c.zone)
	}
	if c.same && away(best, c.span) > near {
		return c.inZone(best)
	}
	return best
}

// inZone shifts a time by the only zone that brings it among the audit events of its log.
// If there is none, or more than one, it returns the time as it is.
func (c ownClock) inZone(t audit.Time) audit.Time {
	found := t
	for shift := -maxZone; shift <= maxZone; shift += zoneStep {
		at := t.Add(shift)
		if away(at, c.span) > near {
			continue
		}
		if found != t {
			return t
		}
		found = at
	}
	return found
}

// away returns how far a time is from a span; 0 within it.
func away(t audit.Time, s tally.Span) time.Duration {
	return max(s.First.Sub(t), t.Sub(s.Last), 0)
}

// twin returns the audit log that shares the most requests with a log of httplog, or "",
// and how much later it has each of them, in order.
func (f *Facts) twin(log string) (name string, later []time.Duration) {
	own := f.Own.Requests[log]
	if own == nil {
		return "", nil
	}
	for _, other := range f.LogNames() {
		if shared := own.IDs.shared(&f.Logs[other].IDs); len(shared) > len(later) {
			name, later = other, shared
		}
	}
	return name, later
}
