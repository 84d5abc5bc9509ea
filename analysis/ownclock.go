package analysis

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// An ownClock sets right the times of a log whose year and zone are a guess.
type ownClock struct {
	late time.Duration // to be added, if known
	sure bool
	span tally.Span // else: of audit events, into which a year is to bring a time
	same bool       // these are of the same log, into which a zone is to bring it, too
	zone time.Duration
	set  bool // zone is known, by the events among which lines stand
}

// maxZone is how far zones differ from UTC.
const maxZone = 14 * time.Hour

// zoneStep is what zones differ from UTC by, and years by a multiple of.
const zoneStep = 15 * time.Minute

// clockOf finds the clock of a log: by requests that are in an audit log too,
// or else by when the audit events of the same log, or of any, were written.
func (f *Facts) clockOf(log string) ownClock {
	if _, later := f.twin(log); len(later) > 0 {
		return ownClock{late: later[len(later)/2].Round(zoneStep), sure: true}
	}
	if l := f.Logs[log]; l != nil {
		clock := ownClock{span: l.Span, same: true}
		clock.zone, clock.set = l.Places.zoneOf(f.Own.guessedOf(log, ownClock{span: l.Span}))
		return clock
	}
	return ownClock{span: f.Span}
}

// guessedOf returns the lines of a log whose zone is a guess, with the year that
// a clock gives.
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

// right returns the time that a guess stands for.
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
	if c.set {
		return best.Add(c.zone)
	}
	if c.same && away(best, c.span) > near {
		return c.inZone(best)
	}
	return best
}

// inZone shifts a time by the only zone that brings it among the audit events
// of its log, or by none if several do.
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

// away returns how far a time is from a span.
func away(t audit.Time, s tally.Span) time.Duration {
	return max(s.First.Sub(t), t.Sub(s.Last), 0)
}

// twin returns the audit log that tells of requests which a log's lines of
// httplog tell of too, and how much later it has them; "" if there is none.
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
