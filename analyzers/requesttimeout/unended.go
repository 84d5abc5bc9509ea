package requesttimeout

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// unended returns, by client and resource, the requests that have no end
// although they should, and the share of all requests that they are chosen from.
func (s *State) unended(p *analysis.Pass, timeout time.Duration) (found map[analysis.Subject][]*begun, share float64) {
	open, share := s.Requests.open()
	found = map[analysis.Subject][]*begun{}
	if p.Facts.Stages[audit.StageResponseComplete] == 0 {
		return found, share
	}
	patience := time.Duration(max(1, p.Float(optPatience)) * float64(timeout))
	for _, b := range open {
		if p.Facts.LogSpan(b.Log).Last.Sub(b.Received) >= patience && !lost(p, b, timeout) {
			found[b.subject()] = append(found[b.subject()], b)
		}
	}
	return found, share
}

// lost reports whether a request may have ended without a line: its server
// stopped or started while it was worked on, or lines are missing then.
func lost(p *analysis.Pass, b *begun, timeout time.Duration) bool {
	for _, start := range p.Facts.Starts(b.Log) {
		if start > b.Received {
			return true
		}
	}
	for _, stop := range p.Facts.Stops(b.Log) {
		if stop > b.Received && stop.Sub(b.Received) <= 2*timeout {
			return true
		}
	}
	for _, hole := range p.Facts.Holes()[b.Log] {
		if hole.To > b.Received && hole.From.Sub(b.Received) <= 2*timeout {
			return true
		}
	}
	return false
}
