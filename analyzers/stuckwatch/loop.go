package stuckwatch

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// loop looks for watches that end at once (see atOnce), one soon after the
// other, with no list in between from which the client could have learned a
// newer resourceVersion. It returns the longest such row, if it has
// loop-rounds watches or more.
func (w *watcher) loop(t *track) (longest *track, ok bool) {
	least := max(2, w.pass.Int(optLoopRounds))
	if t.rounds() < least {
		return nil, false // as of nearly all versions
	}
	row := &track{rv: t.rv}
	longest = row
	for _, run := range t.runs {
		if !run.short() || w.state.listed(run.First.From, run.last().From) {
			row = &track{rv: t.rv}
			continue
		}
		if n := len(row.runs); n > 0 {
			since := row.runs[n-1].last().From
			if run.First.From.Sub(since) > w.pause() || w.state.listed(since, run.First.From) {
				row = &track{rv: t.rv}
			}
		}
		row.runs = append(row.runs, run)
		if row.rounds() > longest.rounds() {
			longest = row
		}
	}
	if longest.rounds() < least {
		return nil, false
	}
	// Three of four watches since the row began must belong to it: a client that
	// was cut off a few times and then served is not in a loop.
	since := t.roundsFrom(longest.runs[0].First.From)
	return longest, 4*longest.rounds() >= 3*since
}

// pause is the longest time from the start of one round of a loop to the start
// of the next: the round itself, which may last as long as atOnce, and the
// client's backoff.
func (w *watcher) pause() time.Duration { return w.pass.Duration(optLoopPause) + atOnce }

// short reports whether all watches of the run that were served ended at once.
func (r *Run) short() bool {
	return r.Short > 0 && r.Short == r.Ended-r.RefusedEnds
}

// reportLoop reports the watches of a loop, with how long they lasted on average in seconds.
func (w *watcher) reportLoop(t *track) {
	f := w.finding("tight-loop", t)
	f.Severity, f.Confidence = analysis.Warning, analysis.Confirmed
	gone, open := t.gone(), time.Duration(0)
	for _, run := range t.runs {
		open += run.open()
	}
	mean := open / time.Duration(f.Count)
	f.Details["meanSeconds"] = mean.Seconds()
	f.Details["gone"] = gone
	why := fmt.Sprintf("lasting %s on average", mean.Round(100*time.Microsecond))
	if gone > 0 {
		why = fmt.Sprintf("%d of them answered 410 Gone", gone)
	}
	f.Title = fmt.Sprintf("%s watches %s in a loop from resourceVersion %d: %d watches ended at once within %s, %s, and no list was made in between",
		w.key.Client().Text(), w.key.ScopeText(), t.rv, f.Count, f.Last.Sub(f.First).Round(time.Second), why)
	f.Evidence = analysis.Cite(w.lines(t.appendSample(nil), 4)...)
	w.pass.Report(f)
}
