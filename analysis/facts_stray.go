package analysis

import (
	"fmt"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A stray is a moment of a log that lies further from all other events of it than these
// last: a wrong clock put it there. Were it left in the log's span, the log would last for
// years, and every client that is silent at its end would be silent for years.
type stray struct {
	log  string
	at   tally.Interval
	away tally.Interval // between it and the other events
}

// leaveStrays takes strays out of the spans. It is called when everything is read and
// merged: what is a stray depends on all other events.
func (f *Facts) leaveStrays() {
	f.strays = nil
	span := tally.Span{}
	for _, name := range f.LogNames() {
		log := f.Logs[name]
		kept, strays := log.strays()
		for _, s := range strays {
			s.log = name
			f.strays = append(f.strays, s)
		}
		log.Span = kept
		span.Merge(kept)
	}
	if len(f.strays) > 0 {
		f.Span = span
		if chosen := &f.Requests.Chosen; chosen.First <= span.Last && span.First <= chosen.Last {
			chosen.First, chosen.Last = max(chosen.First, span.First), min(chosen.Last, span.Last)
		}
	}
}

// strays returns the span of the log without its strays, and the strays.
func (l *logFacts) strays() (kept tally.Span, strays []stray) {
	if l.Span.Empty() || l.Span.Last.Sub(l.Span.First) < audit.StrayAway {
		return l.Span, nil
	}
	var parts []tally.Interval
	from := l.Span.First
	for _, gap := range l.Cover.Gaps(audit.StrayAway) {
		parts = append(parts, tally.Interval{From: from, To: gap.From})
		from = gap.To
	}
	parts = append(parts, tally.Interval{From: from, To: l.Span.Last})
	var body tally.Span // from the first part that is long enough to be no stray, to the last
	for _, part := range parts {
		if part.Len() >= audit.StrayLen {
			body.Merge(tally.Span{First: part.From, Last: part.To})
		}
	}
	if body.Empty() {
		return l.Span, nil // short parts only: which of them are strays can't be known
	}
	for _, part := range parts {
		away := tally.Interval{From: body.Last, To: part.From}
		if part.To < body.First {
			away = tally.Interval{From: part.To, To: body.First}
		}
		if away.Len() > max(audit.StrayAway, body.Last.Sub(body.First)) {
			strays = append(strays, stray{at: part, away: away})
			continue
		}
		kept.Merge(tally.Span{First: part.From, Last: part.To})
	}
	return kept, strays
}

// Strays reports whether events with the times of a wrong clock were left out of the
// spans.
func (f *Facts) Strays() bool { return len(f.strays) > 0 }

// maxStrayNotes is how many strays have a note each. The others are counted in one more.
const maxStrayNotes = 5

// strayNotes tell of strays.
func (f *Facts) strayNotes() []Note {
	var notes []Note
	for i, s := range f.strays {
		text := fmt.Sprintf("%s has events of this moment that are %d days away from all others: a clock was wrong, or lines of another time were mixed in. These events count, but not for the time that the log covers.",
			s.log, int(s.away.Len().Hours()/24))
		if i == maxStrayNotes {
			text = fmt.Sprintf("There are %d more such moments.", len(f.strays)-maxStrayNotes)
		}
		notes = append(notes, Note{"far-time", s.at.From, s.at.To, text})
		if i == maxStrayNotes {
			break
		}
	}
	return notes
}
