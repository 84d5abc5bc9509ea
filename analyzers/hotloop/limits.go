package hotloop

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// limits are how much makes a loop.
type limits struct {
	writes, conflicts, turns, requests int
	window, spell, burst, heartbeat    time.Duration
	objects                            int     // of a client that rewrites many
	same                               float64 // of its writes
	rounds                             int     // of a loop shorter than a burst
	locks                              bool    // the resource is what locks are made of
	faint                              bool    // half as much as the options ask for
}

func limitsOf(p *analysis.Pass) limits {
	return limits{
		writes: max(2, p.Int(optWrites)), conflicts: max(2, p.Int(optConflicts)),
		turns: max(3, p.Int(optTurns)), requests: max(2, p.Int(optRequests)),
		window: p.Duration(optWindow), spell: p.Duration(optSpell),
		burst: max(time.Second, p.Duration(optBurst)), heartbeat: p.Duration(optHeartbeat),
		objects: max(1, p.Int(optManyObjects)), same: p.Float(optSame), rounds: 2 * fifths,
		locks: p.Key.Resource == leases,
	}
}

// half returns limits for what is worth a word only: the same kind of loop, half
// as long. Of writes that are half as many in as much time, a lock that is
// renewed every two seconds makes as many, so that they are counted in half the
// window. A set of objects may be written at half the pace, and less evenly: in
// recorded rollouts a third of the writes was to objects that stay, at most.
func (l limits) half() limits {
	l.writes, l.conflicts = max(2, l.writes/2), max(2, l.conflicts/2)
	l.turns, l.requests = max(3, l.turns/2), max(2, l.requests/2)
	l.window, l.faint = l.window/2, true
	l.burst, l.rounds, l.same = 2*l.burst, l.rounds/2, l.same*5/8
	return l
}
