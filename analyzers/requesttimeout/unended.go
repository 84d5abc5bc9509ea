package requesttimeout

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// unended are the requests that have no end although they should.
type unended struct {
	of    map[analysis.Subject][]*begun // those that were paired, by client and resource
	named int                           // how many these are
	told  map[analysis.Subject][]told   // others, which ended late by the API server's own log
	ended int                           // all others that ended by it
	inAll int                           // of all requests, at least
	share float64                       // of all requests that were paired
}

// A told is a request of which the API server's own log alone tells that it
// ended late. Its life cites the line.
type told struct {
	life
	timedOut bool // its client was answered 504
}

func noneUnended(r *Register) unended {
	return unended{of: map[analysis.Subject][]*begun{}, told: map[analysis.Subject][]told{}, share: r.share()}
}

// patience is how long the log must go on after the receipt of a request that
// never ended.
func patience(p *analysis.Pass, timeout time.Duration) time.Duration {
	return time.Duration(max(1, p.Float(optPatience)) * float64(timeout))
}

func (s *State) unended(p *analysis.Pass, timeout time.Duration) unended {
	found := noneUnended(&s.Requests)
	patience := patience(p, timeout)
	for _, b := range s.Requests.unended() {
		at := tally.Interval{From: b.Received, To: b.Received}
		if !p.Facts.LogEnds(b.Log) || !overdue(p, b.Log, at, patience) || lost(p, b.Log, at, timeout) {
			continue
		}
		if end, ok := p.Facts.OwnEnd(b.AuditID); ok {
			found.ended++
			if end.Took >= timeout-slack {
				found.told[b.subject()] = append(found.told[b.subject()], told{b.life(end), end.Code == 504})
			}
		} else {
			found.of[b.subject()] = append(found.of[b.subject()], b)
			found.named++
		}
	}
	for log, balance := range s.Requests.balances {
		if !p.Facts.LogEnds(log) {
			continue // its audit policy leaves ends out
		}
		for step, n := range balance.Cells.All() {
			if n.Received > n.Closed && overdue(p, log, step, patience) && !lost(p, log, step, timeout) {
				found.inAll += int(n.Received - n.Closed)
			}
		}
	}
	found.inAll = max(found.inAll-int(float64(found.ended)/found.share), found.named)
	return found
}

// life returns how long a request took by the API server's own log.
func (b *begun) life(end analysis.OwnEnd) life {
	return life{Took: end.Took, From: b.Received, Verb: b.Verb.String(), Ref: end.Ref(string(b.AuditID))}
}

// overdue reports whether the log goes on for long enough after the receipt.
func overdue(p *analysis.Pass, log string, received tally.Interval, patience time.Duration) bool {
	return p.Facts.LogSpan(log).Last.Sub(received.To) >= patience
}

// lost reports whether a request that was received then may have ended without
// a line: its server stopped or started while it was worked on, or lines are
// missing.
func lost(p *analysis.Pass, log string, received tally.Interval, timeout time.Duration) bool {
	for _, start := range p.Facts.Starts(log) {
		if start > received.From {
			return true
		}
	}
	for _, stop := range p.Facts.Stops(log) {
		if stop > received.From && stop.Sub(received.To) <= 2*timeout {
			return true
		}
	}
	for _, hole := range p.Facts.Holes(log) {
		if hole.To > received.From && hole.From.Sub(received.To) <= 2*timeout {
			return true
		}
	}
	return false
}
