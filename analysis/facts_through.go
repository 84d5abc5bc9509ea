package analysis

import (
	"cmp"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A longest is the request that took the longest of those that ended in one step:
// its API server was there all the while.
type longest struct {
	Began audit.Time `json:"began"`
	Ended audit.Time `json:"ended"`
}

// Plus returns the longer one.
func (l longest) Plus(o longest) longest {
	if cmp.Or(cmp.Compare(o.Ended-o.Began, l.Ended-l.Began), cmp.Compare(o.Began, l.Began)) > 0 {
		return o
	}
	return l
}

const (
	throughCells = 256
)

// observeThrough keeps requests that may have gone on through a hole.
func (l *logFacts) observeThrough(e *audit.Event) {
	if !e.Final() || e.Origin != audit.OriginAudit || e.At.Sub(e.Began()) < minHole {
		return
	}
	cell := l.Through.At(e.At)
	*cell = cell.Plus(longest{e.Began(), e.At})
}

// wentOn reports whether the log's API server was there all the time of a hole: a
// request that it received before ended after.
func (l *logFacts) wentOn(hole tally.Interval) bool {
	for _, request := range l.Through.All() {
		if request.Began <= hole.From && hole.To <= request.Ended {
			return true
		}
	}
	return false
}
