package leaselost

import (
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// goneWithin reports whether the lease was deleted or released within a time.
func (j *judge) goneWithin(from, to audit.Time) bool {
	for _, b := range j.state.Gone.All() {
		if b.Last.Received >= from && b.First.Received <= to {
			return true
		}
	}
	return false
}

// before returns who renewed the lease last up to t, and when.
func (j *judge) before(t audit.Time) (who *Holder, when *tally.Late) {
	for _, h := range j.holders {
		for _, b := range h.Renewals.All() {
			for _, r := range []*tally.Late{b.First, b.Last} {
				if r.Received <= t && (when == nil || later(r, when)) {
					who, when = h, r
				}
			}
		}
	}
	return who, when
}

// after returns who renewed the lease first from t on, and when.
func (j *judge) after(t audit.Time) (who *Holder, when *tally.Late) {
	for _, h := range j.holders {
		for _, b := range h.Renewals.All() {
			for _, r := range []*tally.Late{b.First, b.Last} {
				if r.Received >= t && (when == nil || later(when, r)) {
					who, when = h, r
				}
			}
		}
	}
	return who, when
}

// later reports whether a was received after b.
func later(a, b *tally.Late) bool {
	if a.Received != b.Received {
		return a.Received > b.Received
	}
	return a.Compare(b) > 0
}

// renewedWithin reports whether a holder renewed the lease within a time.
func (j *judge) renewedWithin(who *Holder, from, to audit.Time) bool {
	for _, h := range j.holders {
		if !h.is(who) {
			continue
		}
		for _, b := range h.Renewals.All() {
			if b.Last.Received >= from && b.First.Received <= to {
				return true
			}
		}
	}
	return false
}
