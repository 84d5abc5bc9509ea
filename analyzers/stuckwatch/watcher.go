package stuckwatch

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// always is a time before all events.
const always = audit.Time(-1 << 62)

// A watcher judges one client's watches of one scope, on behalf of Report.
type watcher struct {
	pass   *analysis.Pass
	state  *State
	tracks []track // of the state
	key    analysis.Key
	scope  analysis.Scope
	skew   time.Duration
	clocks time.Duration // how far API servers' clocks are known to differ

	selector bool // the watch has one, so the log does not tell which writes it sees
}

func newWatcher(p *analysis.Pass, s *State) *watcher {
	return &watcher{
		pass: p, state: s, tracks: s.tracks(), key: p.Key, scope: p.Key.Scope(), skew: p.Duration(optSkew),
		clocks:   p.Facts.Skew(),
		selector: p.Key.Selector != (audit.Sym{}),
	}
}

// judge reports at most one thing about a track: that it is stuck, if writes
// prove it; else that it is a loop; else that it may be stuck.
func (w *watcher) judge(t *track) {
	verdict, stuck := w.stuck(t)
	if stuck && verdict.confidence == analysis.Confirmed {
		w.reportStuck(t, verdict)
		return
	}
	if l, ok := w.loop(t); ok {
		w.reportLoop(l)
		return
	}
	if stuck {
		w.reportStuck(t, verdict)
	}
}

// changes returns how many successful creates and deletes in the scope lie
// wholly within [from, to].
func (w *watcher) changes(from, to audit.Time) int {
	if w.key.Name != "" {
		return w.pass.Facts.NamedChangesWithin(w.scope, w.key.Name, from, to)
	}
	return w.pass.Facts.ChangesWithin(w.scope, from, to)
}

// writes returns how many successful writes in the scope, with updates and
// patches, lie wholly within [from, to]. For a watch of a single name these are
// creates and deletes alone: the Facts don't keep updates by name.
func (w *watcher) writes(from, to audit.Time) int {
	n := w.changes(from, to)
	if w.key.Name == "" {
		n += w.pass.Facts.UpdatesWithin(w.scope, from, to)
	}
	return n
}

// beyond reports whether some object in the scope is known to have had a higher
// resourceVersion than rv by some time.
func (w *watcher) beyond(rv uint64, by audit.Time) bool {
	return w.key.Name == "" && !w.selector && w.pass.Facts.BeyondWithin(w.scope, rv, always, by)
}

// missed returns the rounds during which had reports a write, and after which
// the client nevertheless came back with the same version. A write counts only
// if it lies further than the skew, or the known difference of clocks, from both ends of
// the round. Of rounds side by side only one is returned.
func (w *watcher) missed(t *track, had func(from, to audit.Time) bool) []round {
	var missed []round
	var until audit.Time
	edge := max(w.skew, w.clocks)
	for _, r := range t.appendSample(nil) {
		from, to := r.From.Add(edge), r.To.Add(-edge)
		switch {
		case r.To == 0 || from >= to: // open, or too short to tell
		case r.From < until.Add(-w.skew): // overlaps the round returned before
		case t.lastFrom() < to: // the client did not come back after it
		case had(from, to):
			missed = append(missed, r)
			until = r.To
		}
	}
	return missed
}

// excerpt reports whether the log has no writes in the scope, and none at all by
// others than this client. Such a log is most likely the part of one that
// concerns this client, so it can't show what the watch missed.
func (w *watcher) excerpt() bool {
	if w.pass.Facts.WritesOf(w.scope) > 0 {
		return false
	}
	writers, all := w.pass.Facts.AllWriters()
	if !all {
		return false
	}
	me := analysis.Client{User: w.key.User, UserAgent: w.key.UserAgent, SourceIP: w.key.SourceIP}
	for _, other := range writers {
		if !other.SameAs(me) {
			return false
		}
	}
	return true
}
