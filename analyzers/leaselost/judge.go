package leaselost

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A judge finds the losses of one lease.
type judge struct {
	pass    *analysis.Pass
	state   *State
	holders []*Holder
	period  time.Duration // from one renewal to the next, as a rule: see State.period
}

func newJudge(p *analysis.Pass, s *State) *judge {
	j := &judge{pass: p, state: s}
	for i := range s.Holders.Rows {
		j.holders = append(j.holders, &s.Holders.Rows[i].Value)
	}
	j.period = s.period()
	return j
}

// period returns the median time from one renewal to the next. If most renewals follow
// within a step of the cover, it returns the mean time of these.
func (s *State) period() time.Duration {
	span, ok := s.Renewed.Span()
	if !ok || s.N < 2 {
		return 0
	}
	gaps, rest := s.Renewed.Gaps(0), span.Len()
	step := s.Renewed.Step()
	for _, gap := range gaps {
		rest -= gap.Len() + step
	}
	if close := s.N - int64(len(gaps)); close > int64(len(gaps)) {
		return rest / time.Duration(close)
	}
	slices.SortFunc(gaps, func(a, b tally.Interval) int { return cmp.Compare(a.Len(), b.Len()) })
	return gaps[len(gaps)/2].Len() + step
}

// lasts returns how long the lease lasts without a renewal.
func (j *judge) lasts() time.Duration {
	if n := j.state.Seconds; n > 0 {
		return time.Duration(n) * time.Second
	}
	return max(j.pass.Duration(optLease), j.periods())
}

// periods returns how long a lease lasts by its own period, if no body tells.
func (j *judge) periods() time.Duration {
	return time.Duration(j.pass.Float(optMissed) * float64(j.period))
}

// takenAfter returns the silence after which a new holder must have taken the lease, and
// not been given it. It is shorter than lasts: some leases last less than the default, but
// a holder that gives its lease up is followed within a period or so.
func (j *judge) takenAfter() time.Duration {
	if n := j.state.Seconds; n > 0 {
		return time.Duration(n) * time.Second
	}
	const fewest = 3 // periods
	return max(fewest*j.period, min(j.pass.Duration(optLease), j.periods()))
}

// losses returns the losses that overlap the selected time, in order of time.
func (j *judge) losses() []loss {
	var found []loss
	if j.state.N < int64(j.pass.Int(optRenewals)) {
		return nil
	}
	step := j.state.Renewed.Step()
	for _, gap := range j.state.Renewed.Gaps(max(step, j.takenAfter()-2*step)) {
		if l, ok := j.lossAt(gap, step); ok && j.selected(&l) {
			found = append(found, l)
		}
	}
	if l, ok := j.stopped(); ok && j.selected(&l) {
		found = append(found, l)
	}
	return found
}

// selected reports whether a loss overlaps the time that --since and --until left in. A
// lease that was last renewed before that has no events in it, but is still free then.
func (j *judge) selected(l *loss) bool {
	chosen := j.state.Selected
	if all := j.pass.Facts.Chosen(); l.kind == kindStopped && chosen.Empty() && l.last.Time < all.First {
		chosen = all
	}
	return !chosen.Empty() && l.from <= chosen.Last && chosen.First <= l.to
}

// gapAt makes a loss of a gap between renewals, with the holders on either side. The gap's
// ends are known to a step of the cover; if the holders' renewals there are kept, exactly.
func (j *judge) gapAt(gap tally.Interval, step time.Duration) (l loss, ok bool) {
	l.from, l.to = gap.From, gap.To
	l.old, l.last = j.before(gap.From)
	l.next, l.first = j.after(gap.To)
	if l.old == nil || l.next == nil {
		return l, false
	}
	l.from = max(l.last.Received, gap.From.Add(-step))
	l.to = min(l.first.Received, gap.To.Add(step))
	return l, true
}

// lossAt judges a gap between renewals.
func (j *judge) lossAt(gap tally.Interval, step time.Duration) (l loss, ok bool) {
	if l, ok = j.gapAt(gap, step); !ok {
		return l, false
	}
	l.kind = kindResumed
	least := j.lasts()
	if !l.old.is(l.next) && !j.renewedWithin(l.old, l.to, l.to.Add(l.gap())) {
		l.kind, least = kindTakeover, j.takenAfter()
	}
	least += j.pass.Facts.Skew() // it may be renewed by way of several API servers
	if l.gap() < least || j.goneWithin(l.from, l.to) || j.renewedElsewhere(&l) {
		return l, false
	}
	j.explain(&l)
	// That a silent holder was late must be certain: nothing else tells of it.
	return l, l.kind == kindTakeover || l.failed > 0 || l.certain(step) >= least
}

// renewedElsewhere reports whether the lease was renewed meanwhile through an API server
// whose log was not read. The first renewal after the silence is based on the version of
// the one before it. If that version is newer than those that other leases had during the
// silence, there were renewals that are not in the log: versions of all objects come from
// one counter.
func (j *judge) renewedElsewhere(l *loss) bool {
	sent := l.next.versionAt(l.first)
	from, to := l.from.Add(max(othersRenew, 2*j.period)), l.to.Add(-j.period*3/2)
	if sent == 0 || from >= to {
		return false
	}
	rv, ok := j.pass.Facts.NewestWithin(analysis.Scope{Group: j.pass.Key.Group, Resource: j.pass.Key.Resource}, from, to)
	return ok && rv < sent
}

// othersRenew is how long after the beginning of a silence all other leases were renewed,
// so that their versions are from within it: nodes renew theirs every 10 s.
const othersRenew = 15 * time.Second

// versionAt returns the version that a renewal is based on, or 0 if it is not known.
func (h *Holder) versionAt(renewal *tally.Late) uint64 {
	for _, b := range h.Renewals.All() {
		if b.First == renewal {
			return b.RV
		}
	}
	return 0
}

// stopped looks at the time after the last renewal.
func (j *judge) stopped() (l loss, ok bool) {
	l.kind, l.to = kindStopped, j.pass.Facts.Span.Last
	l.old, l.last = j.before(l.to)
	if l.old == nil {
		return l, false
	}
	l.from = l.last.Received
	lasts := j.lasts() + j.pass.Facts.Skew()
	if l.gap() < lasts || j.goneWithin(l.from, l.to) || j.namespaceGone(l.from) {
		return l, false
	}
	j.explain(&l)
	// Nobody waits for a lease that is free for so long: a single replica, and
	// most are stopped for a reason that is no fault.
	const forGood = 4
	return l, l.failed > 0 || l.gap() >= forGood*lasts
}

// namespaceGone reports whether the lease's namespace was deleted at about the time or
// later, or at a time that is not known.
func (j *judge) namespaceGone(after audit.Time) bool {
	deletions, all := j.pass.Facts.NamespaceDeleted(j.pass.Key.Namespace.String())
	for _, gone := range deletions {
		if gone.To >= after.Add(-j.lasts()) {
			return true
		}
	}
	return !all
}

// explain adds to a loss what the log has of its cause.
func (j *judge) explain(l *loss) {
	l.messages.Cap = maxMessages
	for _, h := range j.holders {
		if !h.is(l.old) {
			continue
		}
		for _, b := range h.Failures.All() {
			if b.Last.Received >= l.from && b.First.Received <= l.to {
				l.failures = append(l.failures, *b)
				l.failed += b.N
			}
		}
		for _, m := range h.Messages.Members() {
			l.messages.Add(m)
		}
	}
	slices.SortFunc(l.failures, func(a, b Beat) int { return a.First.Compare(b.First) })
	facts := j.pass.Facts
	for _, log := range facts.LogNames() {
		for _, start := range facts.Starts(log) {
			if start > l.from && start <= l.to && !j.wasThere(log, l.from, start) {
				l.restarted = max(l.restarted, start)
			}
		}
	}
	l.hole = facts.InHole(l.from, l.to)
	if l.failed == 0 {
		pods := analysis.Scope{Resource: resPods, Namespace: j.pass.Key.Namespace}
		from, to := l.from.Add(-max(0, j.pass.Duration(optStopped))), l.from.Add(max(0, j.lasts()))
		del, ok := facts.LastDelete(pods, to)
		l.podDeleted = ok && del.At >= from || facts.ChangesWithin(pods, from, to) > 0 // of many deletions, not all are known as such
		l.podUnknown = !l.podDeleted && !facts.Knows(pods)
	}
}

// wasThere reports whether an API server that started was still serving when a holder that
// had stopped should have renewed its lease: then the start is not why it did not.
func (j *judge) wasThere(log string, stopped, start audit.Time) bool {
	const step = 5 * time.Second // of what is known of the log
	from, to := stopped.Add(j.lasts()+step), start.Add(-step)
	return from < to && j.pass.Facts.Spoke(log, from, to)
}
