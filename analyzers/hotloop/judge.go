package hotloop

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// seen looks for loops where every write is kept. reads are nil if some are not.
func seen(p *analysis.Pass, writes, reads *Sample) (loops []*loop) {
	all := items(writes, reads)
	objects := byObject(all)
	for _, o := range objects.keys {
		for _, try := range []func(*analysis.Pass, []item) (string, []stretch){inVain, inTurns, busy, restless} {
			if kind, stretches := try(p, objects.of[o]); len(stretches) > 0 {
				loops = append(loops, loopOf(kind, stretches))
				break
			}
		}
	}
	known := objectsOf(loops)
	clients := byWriter(slices.DeleteFunc(all, func(i item) bool { return i.read || known[i.object] }))
	for _, w := range clients.keys {
		if stretches := many(p, clients.of[w]); len(stretches) > 0 {
			loops = append(loops, loopOf(kindMany, stretches))
		}
	}
	return loops
}

// inVain looks for a client whose writes conflict as a rule.
func inVain(p *analysis.Pass, items []item) (string, []stretch) {
	least := max(2, p.Int(optConflicts))
	var all []stretch
	clients := byWriter(writesOf(items))
	for _, w := range clients.keys {
		all = append(all, hot(clients.of[w], p.Duration(optWindow), func(s *sum) bool {
			return s.conflicts >= least && 2*s.conflicts >= s.writes
		})...)
	}
	return kindConflicts, all
}

// inTurns looks for clients that write the same part of the object in turns:
// four of five writes follow one of the other.
func inTurns(p *analysis.Pass, items []item) (string, []stretch) {
	least := max(3, p.Int(optTurns))
	var all []stretch
	parts := deal(writesOf(items), func(i *item) audit.Sym { return i.Subresource() })
	for _, part := range parts.keys {
		writes := parts.of[part]
		for n := 1; n < len(writes); n++ {
			writes[n].turn = writes[n].writer() != writes[n-1].writer()
		}
		all = append(all, hot(writes, p.Duration(optWindow), func(s *sum) bool {
			return s.turns >= least && 5*s.turns >= 4*s.writes
		})...)
	}
	return kindTurns, all
}

// busy looks for many writes, but for those of steady heartbeats.
func busy(p *analysis.Pass, items []item) (string, []stretch) {
	least := max(2, p.Int(optWrites))
	writes := writesOf(items)
	clients := byWriter(writes)
	for _, w := range clients.keys {
		if heartbeat(clients.of[w], p.Duration(optHeartbeat)) {
			writes = slices.DeleteFunc(writes, func(i item) bool { return i.writer() == w })
		}
	}
	return kindWrites, hot(writes, p.Duration(optWindow), func(s *sum) bool { return s.writes >= least })
}

// beats is how many writes a rhythm takes.
const beats = 10

// heartbeat reports whether the writes keep a steady period, of shortest or
// longer: nine pauses of ten are within a quarter of their median.
func heartbeat(writes []item, shortest time.Duration) bool {
	if len(writes) < beats {
		return false
	}
	pauses := make([]time.Duration, 0, len(writes)-1)
	for n := 1; n < len(writes); n++ {
		pauses = append(pauses, writes[n].Began().Sub(writes[n-1].Began()))
	}
	slices.Sort(pauses)
	median := pauses[len(pauses)/2]
	steady := 0
	for _, pause := range pauses {
		if pause >= median-median/4 && pause <= median+median/4 {
			steady++
		}
	}
	return median >= shortest && 10*steady >= 9*len(pauses)
}

// restless looks for a client that reads the object and writes it without a
// rest: a sixth of the requests or more are writes.
func restless(p *analysis.Pass, items []item) (string, []stretch) {
	least := max(2, p.Int(optRequests))
	var all []stretch
	clients := byWriter(items)
	for _, w := range clients.keys {
		theirs := clients.of[w]
		if total(theirs).renewal() && heartbeat(writesOf(theirs), p.Duration(optHeartbeat)) {
			continue
		}
		all = append(all, hot(theirs, p.Duration(optSpell), func(s *sum) bool {
			return s.writes+s.reads >= least && 6*s.writes >= s.writes+s.reads
		})...)
	}
	return kindRequests, all
}
