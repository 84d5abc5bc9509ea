package stuckwatch

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A verdict says how sure it is that a track is stuck, and why.
type verdict struct {
	confidence analysis.Confidence
	missed     []round // rounds during which the scope was written
	excerpt    bool    // nothing was seen to be missed: see unseen
	caveats    []string
}

// Why a stuck watch is less than confirmed.
const (
	caveatSelector = "the watch has a selector, and the log does not show whether it selects what was written"
	caveatUpdates  = "meanwhile there were only updates and patches, which may have changed nothing"
	caveatOne      = "only one create or delete was missed, and deleting an object that is already being deleted changes nothing"
	caveatCrowd    = "many of these watches were open side by side: they may be several clients behind one address"
	caveatExcerpt  = "the log has no write of what is watched, and no writes by other clients: " +
		"it looks like an excerpt, where a quiet resource can't be told from a stuck watch; scan the whole log"
)

// stuck judges whether the client missed writes in its scope. ok is false if
// nothing suggests it.
func (w *watcher) stuck(t *track) (v verdict, ok bool) {
	if t.rounds() < max(2, w.pass.Int(optRounds)) {
		return v, false
	}
	if v, ok = w.proof(t); !ok {
		return w.unseen(t)
	}
	if t.crowded(v.missed[0].From) {
		v.confidence = analysis.Possible
		v.caveats = append(v.caveats, caveatCrowd)
	}
	return v, true
}

// proof judges the track by the writes that its rounds missed. It takes two such
// rounds: a client of an API server whose watch cache lags misses a write in one
// round and receives it in the next.
func (w *watcher) proof(t *track) (verdict, bool) {
	written := func(from, to audit.Time) bool { return w.writes(from, to) > 0 }
	if w.selector {
		missed := w.missed(t, written)
		return verdict{analysis.Possible, missed, false, []string{caveatSelector}}, len(missed) >= 2
	}
	changed := w.missed(t, func(from, to audit.Time) bool { return w.changes(from, to) > 0 })
	if len(changed) >= 2 {
		return verdict{confidence: analysis.Confirmed, missed: changed}, true
	}
	passed := w.missed(t, func(_, to audit.Time) bool { return w.beyond(t.rv, to) })
	if len(passed) >= 2 {
		return verdict{confidence: analysis.Confirmed, missed: passed}, true
	}
	if missed := w.missed(t, written); len(missed) >= 2 {
		return verdict{analysis.Possible, missed, false, []string{caveatUpdates}}, true
	}
	if len(changed) == 1 && t.roundsFrom(changed[0].To.Add(-w.skew)) >= w.pass.Int(optRounds) {
		return verdict{analysis.Possible, changed, false, []string{caveatOne}}, true
	}
	return verdict{}, false
}

// unseen judges a track with many rounds in an excerpt: a log that can't show
// what they missed, since others' writes are not in it. A client that later went
// on to another version without a list was not stuck. If it made a list
// meanwhile and came back with the same version, nothing had been written.
func (w *watcher) unseen(t *track) (verdict, bool) {
	least := max(w.pass.Int(optExcerpt), w.pass.Int(optRounds))
	switch {
	case t.rounds()-t.short() < least, t.crowded(always), !w.excerpt(),
		w.state.listed(t.runs[0].First.From, t.lastFrom()):
		return verdict{}, false
	}
	for _, next := range w.tracks {
		if next.after(t) && !w.state.listed(t.lastFrom(), next.runs[0].First.From) {
			return verdict{}, false
		}
	}
	v := verdict{confidence: analysis.Likely, excerpt: true, caveats: []string{caveatExcerpt}}
	if w.selector || w.key.Name != "" {
		v.confidence = analysis.Possible // most single objects never change
	}
	return v, true
}
