package stuckwatch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A back is a step back: two consecutive watches of which the second asked for
// a lower resourceVersion.
type back struct{ before, after round }

// judgeOrder looks for resourceVersions that went backwards. It needs every
// watch to be known individually and only one to be open at a time: two
// reflectors in one process each keep a version of their own, and side by side
// they would look like one that goes back and forth. Watches that began closer together
// than clocks differ may have come in the other order, through two API servers.
func (w *watcher) judgeOrder() {
	if w.ascend() {
		return
	}
	rounds, ok := w.sequence()
	if !ok {
		return
	}
	var backs []back
	for i := 1; i < len(rounds); i++ {
		a, b := rounds[i-1], rounds[i]
		if b.run.RV > 0 && b.run.RV < a.run.RV && b.From > a.From.Add(w.clocks) && !w.state.listed(a.From, b.From) {
			backs = append(backs, back{a, b})
		}
	}
	if len(backs) > 0 {
		w.reportBacks(backs)
	}
}

// ascend reports whether all watches from a version came before those from the next
// higher one, as they do in a healthy client. Nothing can have gone back then.
func (w *watcher) ascend() bool {
	for i := 1; i < len(w.tracks); i++ {
		if a, b := &w.tracks[i-1], &w.tracks[i]; a.rv > b.rv || !b.after(a) {
			return false
		}
	}
	return true
}

// sequence returns all watches in order of time, if each began after the one
// before it had ended. Watches that ask for the initial state have no version to
// compare, but are included: two of them side by side are two reflectors, too.
func (w *watcher) sequence() (rounds []round, ok bool) {
	for i := range w.tracks {
		t := &w.tracks[i]
		if !t.exact() {
			return nil, false
		}
		rounds = t.appendSample(rounds)
	}
	for _, run := range w.state.Zero.All() {
		if run.single() && run.First.To != 0 {
			rounds = append(rounds, round{run.First, run})
		}
	}
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Or(a.compare(b.Round), cmp.Compare(a.run.RV, b.run.RV)) })
	for i := 1; i < len(rounds); i++ {
		if end := rounds[i-1].To; end == 0 || rounds[i].From < end.Add(-w.skew) {
			return nil, false
		}
	}
	return rounds, true
}

// reportBacks reports steps back as one finding: likely, or confirmed if the first one is
// known to come from a delete.
func (w *watcher) reportBacks(backs []back) {
	first, last := backs[0], backs[len(backs)-1]
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Likely,
		Count: len(backs), First: first.before.From, Last: max(last.after.From, last.after.To),
		Title: fmt.Sprintf("the watch of %s on %s went back from resourceVersion %d to %d",
			w.key.Client().Text(), w.key.ScopeText(), first.before.run.RV, first.after.run.RV),
		Details: analysis.Details{
			"kind":                "backwards",
			"resourceVersion":     fmt.Sprint(first.after.run.RV),
			"fromResourceVersion": fmt.Sprint(first.before.run.RV),
			"rounds":              len(backs),
		},
	}
	f.Details["writesInScope"] = w.writes(f.First, f.Last)
	if n := len(backs) - 1; n > 0 {
		f.Title += fmt.Sprintf(", and did so %d more times", n)
	}
	var refs []audit.Ref
	for i, b := range backs {
		f.Marks = append(f.Marks, analysis.Mark{Kind: "backwards", From: b.before.From, To: b.after.From, N: 1})
		if i < 3 {
			refs = append(refs, w.ref(b.before), w.ref(b.after))
		}
	}
	f.Marks = analysis.Coarsen(f.Marks)
	if ref, ok := w.deletedBefore(first, &f); ok {
		refs = append(refs, ref)
		f.Confidence = analysis.Confirmed // the known way back: see doc.md
	}
	f.Evidence = analysis.Cite(refs...)
	w.pass.Report(f)
}

// deletedBefore returns the delete that the first step back may come from, and
// puts it in the finding's details: the last one in the scope, if it was made
// during the watch before the step.
func (w *watcher) deletedBefore(b back, f *analysis.Finding) (audit.Ref, bool) {
	del, ok := w.pass.Facts.LastDelete(w.scope, b.after.From)
	if !ok || del.At < b.before.From {
		return audit.Ref{}, false
	}
	return w.trigger(f, b.after.From)
}
