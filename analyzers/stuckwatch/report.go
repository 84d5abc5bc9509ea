package stuckwatch

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// reportStuck reports that a client is stuck at a resourceVersion. As evidence
// it cites the first and last rounds, rounds that missed a write, and the delete
// before the first round. That delete is what triggers the known bug: a
// reflector takes over the version in the DELETED event, which is that of the
// object's last update, and so goes back in time.
func (w *watcher) reportStuck(t *track, v verdict) {
	f := w.finding("same-rv", t)
	f.Severity, f.Confidence = analysis.Warning, v.confidence
	if v.confidence == analysis.Confirmed {
		f.Severity = analysis.Critical
	}
	f.Caveats = append(f.Caveats, v.caveats...)
	f.Details["roundsThatMissedWrites"] = len(v.missed)
	f.Details["gone"] = t.gone()
	f.Details["excerpt"] = v.excerpt
	f.Title = fmt.Sprintf("%s came back to resourceVersion %d of %s %s within %s",
		w.key.Client().Text(), t.rv, w.key.ScopeText(), analysis.Times(f.Count), f.Last.Sub(f.First).Round(time.Second))
	switch n := f.Details.Int("writesInScope"); {
	case n == 1:
		f.Title += ", although there was a write"
	case n > 1:
		f.Title += fmt.Sprintf(", although there were %d writes", n)
	}
	refs := w.lines(t.appendSample(nil), 4)
	if len(v.missed) > 0 {
		refs = append(refs, w.lines(v.missed, 2)...)
	}
	if ref, ok := w.trigger(&f, f.First); ok {
		refs = append(refs, ref)
	}
	f.Evidence = analysis.Cite(refs...)
	w.pass.Report(f)
}

// trigger returns the last delete in the scope before a time, and puts it in the
// finding's details. A watch with a selector, or of a single name, has no
// trigger: the log does not say whether it would have seen the delete.
func (w *watcher) trigger(f *analysis.Finding, before audit.Time) (audit.Ref, bool) {
	if w.selector || w.key.Name != "" {
		return audit.Ref{}, false
	}
	del, ok := w.pass.Facts.LastDelete(w.scope, before)
	if !ok {
		return audit.Ref{}, false
	}
	f.Details["triggerUser"] = del.Client.User.String()
	f.Details["triggerUserAgent"] = del.Client.UserAgent.String()
	f.Details["triggerObject"] = del.Name
	f.Details["triggerTime"] = del.At.String()
	return del.Ref, true
}
