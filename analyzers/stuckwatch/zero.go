package stuckwatch

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// judgeZero looks for watches that each ask for the initial state (with
// resourceVersion "0" or none), one after the other with hardly a pause: the
// client never resumes from where it was. Nothing else can be told about such
// watches, since they have no version to compare.
func (w *watcher) judgeZero() {
	pause := w.pass.Duration(optZeroPause)
	row, longest := &track{}, &track{}
	for _, run := range w.state.Zero.All() {
		if run.rounds() == 0 {
			continue
		}
		if !run.sequential(pause, w.skew) {
			row = &track{}
			continue
		}
		if n := len(row.runs); n > 0 {
			before := row.runs[n-1].last()
			if gap := run.First.From.Sub(before.To); before.To == 0 || gap > pause || gap < -w.skew {
				row = &track{}
			}
		}
		row.runs = append(row.runs, run)
		if row.rounds() > longest.rounds() {
			longest = row
		}
	}
	if longest.rounds() >= max(2, w.pass.Int(optZeroRounds)) {
		w.reportZero(longest)
	}
}

// sequential reports whether the run's watches can have been open one after the
// other with no more than pause between them. Of several only sums are known:
// together they must have been open for no longer than from the first to the
// last, and for no less than that without the pauses.
func (r *Run) sequential(pause, skew time.Duration) bool {
	if r.single() {
		return true
	}
	span := r.last().From.Sub(r.First.From)
	open := r.open() - max(0, r.last().To.Sub(r.last().From))
	n := time.Duration(r.rounds())
	return r.last().To != 0 && open <= span+skew && span-open <= n*pause
}

func (w *watcher) reportZero(t *track) {
	f := w.finding("from-zero", t)
	f.Severity, f.Confidence = analysis.Warning, analysis.Likely
	f.Details["resourceVersion"] = ""
	f.Title = fmt.Sprintf("%s watches %s from the beginning again and again: %d watches in a row within %s asked for the whole state",
		w.key.Client().Text(), w.key.ScopeText(), f.Count, f.Last.Sub(f.First).Round(time.Second))
	f.Evidence = analysis.Cite(w.lines(t.appendSample(nil), 4)...)
	w.pass.Report(f)
}
