package leaselost

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// The kinds of losses: details.kind.
const (
	kindTakeover = "takeover" // another client holds the lease afterwards
	kindResumed  = "resumed"  // the same client renews it again, late
	kindStopped  = "stopped"  // nobody renews it any more
)

// A loss is a time in which a lease was not renewed, longer than it lasts.
type loss struct {
	kind     string
	from, to audit.Time // the last renewal before, and the first after or the log's end

	last, first *tally.Late // these renewals; first is nil if there is none
	old, next   *Holder     // who made them; next is nil if first is
	failures    []Beat      // the old holder's attempts between from and to that failed
	failed      int64       // how many these were
	messages    tally.Set   // what the API server said to the old holder's failures

	restarted  audit.Time // when an API server started between from and to; 0: none did
	hole       bool       // the log has a hole between from and to
	podDeleted bool       // a pod was deleted that may have been the old holder
	podUnknown bool       // whether one was is not known
}

// gap returns how long the lease was not renewed.
func (l *loss) gap() time.Duration { return l.to.Sub(l.from) }

// certain returns for how long the lease was not renewed at least. Where the
// renewals at its ends are not kept, they are known to a step of the cover.
func (l *loss) certain(step time.Duration) time.Duration {
	from, to := l.from, l.to
	if l.last.Received < from {
		from = from.Add(step)
	}
	if l.first.Received > to {
		to = to.Add(-step)
	}
	return to.Sub(from)
}

// excused reports whether the log shows a reason for the silence that is no fault.
func (l *loss) excused() bool { return l.podDeleted || l.restarted != 0 && l.kind != kindTakeover }
