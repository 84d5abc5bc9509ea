package analysis

import (
	"fmt"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// between returns what after does, worked out once for all who ask.
func (f *Facts) between(log string) tally.Interval {
	return f.betweens.get(f, log, func() tally.Interval { return f.after(log) })
}

// after returns the time between the end of a log and the beginning of the next one, if
// no other log has events in it: then a part is missing, such as a rotated file, or no API
// server was there. It is empty if another log goes on, if it is shorter than a hole, or if
// the log has too few events for a silence to mean anything.
func (f *Facts) after(name string) tally.Interval {
	end, next := f.Logs[name].Span.Last, audit.Time(0)
	for _, other := range f.Logs {
		switch span := other.Span; {
		case span.First <= end && end < span.Last:
			return tally.Interval{}
		case span.First > end && (next == 0 || span.First < next):
			next = span.First
		}
	}
	if between := (tally.Interval{From: end, To: next}); next != 0 && between.Len() >= minHole && f.Logs[name].endsAtOnce(between) {
		return between
	}
	return tally.Interval{}
}

// betweenNote tells of the hole after a log's end.
func (f *Facts) betweenNote(log string) Note {
	hole := f.between(log)
	return Note{"hole", hole.From, hole.To, fmt.Sprintf(
		"%s ends, and no other log goes on until one begins %s later: a part is missing, or no API server was running. A client that is silent in that time may have made requests all the same.",
		log, tenths(hole.Len()))}
}
