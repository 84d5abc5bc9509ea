package stuckwatch

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// always is a time before which nothing was.
const always = audit.Time(-1 << 62)

// A watcher is one client's watches of one scope, being judged.
type watcher struct {
	pass   *analysis.Pass
	state  *State
	tracks []*track // of the state
	key    analysis.Key
	scope  analysis.Scope
	skew   time.Duration

	selector bool // the log does not tell what the watch sees
}

func newWatcher(p *analysis.Pass, s *State) *watcher {
	return &watcher{
		pass: p, state: s, tracks: s.tracks(), key: p.Key, scope: p.Key.Scope(), skew: p.Duration(optSkew),
		selector: p.Key.Selector != (audit.Sym{}),
	}
}

// judge reports what one version's watches show, if anything: that they are
// stuck, if writes prove it; else that they are a loop; else that they may be
// stuck.
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

// changes returns how many creates and deletes of what is watched lie wholly
// inside [from, to].
func (w *watcher) changes(from, to audit.Time) int {
	if w.key.Name != "" {
		return w.pass.Facts.NamedChangesWithin(w.scope, w.key.Name, from, to)
	}
	return w.pass.Facts.ChangesWithin(w.scope, from, to)
}

// writes returns how many writes, updates and patches too, lie wholly inside
// [from, to]. Of updates the log is not asked whose they are.
func (w *watcher) writes(from, to audit.Time) int {
	n := w.changes(from, to)
	if w.key.Name == "" {
		n += w.pass.Facts.UpdatesWithin(w.scope, from, to)
	}
	return n
}

// beyond reports whether the scope is known to have moved past a version by
// some time.
func (w *watcher) beyond(rv uint64, by audit.Time) bool {
	return w.key.Name == "" && !w.selector && w.pass.Facts.BeyondWithin(w.scope, rv, always, by)
}

// missed returns rounds, no two of them side by side, that had something to
// tell the client, and after which it came back with the same version.
func (w *watcher) missed(t *track, had func(from, to audit.Time) bool) []round {
	var missed []round
	var until audit.Time
	for _, r := range t.sample() {
		from, to := r.From.Add(w.skew), r.To.Add(-w.skew)
		switch {
		case r.To == 0 || from >= to: // open, or too short to tell
		case r.From < until.Add(-w.skew): // beside the one before
		case t.lastFrom() < to: // the last one
		case had(from, to):
			missed = append(missed, r)
			until = r.To
		}
	}
	return missed
}

// excerpt reports whether the log holds nobody's writes but this client's, and
// none of what is watched: a part of a log, as a rule, from which others'
// writes were left out.
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
