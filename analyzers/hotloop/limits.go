package hotloop

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// limits are how much makes a loop.
type limits struct {
	writes, conflicts, turns, requests int
	window, spell, burst, heartbeat    time.Duration
	objects                            int     // of a client that rewrites many
	pace, set                          int     // its writes, of a burst and of all
	same                               float64 // of its writes
	parts, rounds                      int     // of a burst; of a loop shorter than one
	inTurn                             float64 // of the writes of an object that changes hands
	resource                           audit.Sym
	follower                           bool // the resource follows pods
	measure                            measure
}

// A measure is how much there must be of a loop.
type measure int

const (
	whole measure = iota // what the options ask for
	brief                // half as much at the same pace, in a log that holds nothing else
	faint                // half as much
)

func limitsOf(p *analysis.Pass) limits {
	return limits{
		writes: max(2, p.Int(optWrites)), conflicts: max(2, p.Int(optConflicts)),
		turns: max(3, p.Int(optTurns)), requests: max(2, p.Int(optRequests)),
		window: p.Duration(optWindow), spell: p.Duration(optSpell),
		burst: p.Duration(optBurst), heartbeat: shortestBeat(p),
		objects: max(1, p.Int(optManyObjects)), same: p.Float(optSame), parts: fifths, rounds: 2 * fifths,
		pace: max(2, p.Int(optWrites)) / 2, set: max(2, p.Int(optWrites)),
		inTurn:   0.8,
		resource: p.Key.Resource, follower: isFollower(p),
	}
}

// least returns how many requests of one object a loop has at least.
func (l limits) least() int { return min(l.writes, l.conflicts, l.turns, l.requests) }

// lockBeat is the shortest period of a Lease's renewals. A Lease is there to be
// renewed, and some clients do so several times a second. But one that never rests
// is slowed to five requests a second by client-go, which is steady too.
const lockBeat = 250 * time.Millisecond

// shortestBeat returns the shortest period of a heartbeat.
func shortestBeat(p *analysis.Pass) time.Duration {
	shortest := p.Duration(optHeartbeat)
	if p.Key.Resource == leases {
		return min(shortest, lockBeat)
	}
	return shortest
}

// brief returns limits for a loop of which the log has no more: half as much at the
// same pace. But for turns, which two who keep a rhythm each take for a while.
func (l limits) brief() limits {
	l.writes, l.conflicts, l.requests = max(2, l.writes/2), max(2, l.conflicts/2), max(2, l.requests/2)
	l.window, l.spell, l.measure = l.window/2, l.spell/2, brief
	l.set, l.rounds = l.writes, l.parts+1
	return l
}

// wideSame is the share of what is asked of the writes of a set, where the set is
// large: whose turn comes every ten seconds may miss a fifth of a minute.
const wideSame = 5.0 / 8

// wide returns limits for a loop over a large set. The more objects there are, the
// later each one's turn comes again: it is written in each fifth of a minute, which
// is more often than the kubelets' heartbeats of ten seconds. Since a client may be
// there to refresh many objects, it takes as much as two minutes hold.
func (l limits) wide() limits {
	times := max(1, int(time.Minute/l.burst))
	l.burst, l.pace, l.set, l.same = time.Minute, times*l.pace, times*l.set, l.same*wideSame
	return l
}

// half returns limits for what is worth a word only: the same kind of loop, half
// as long. Of writes that are half as many in as much time, a lock that is
// renewed every two seconds makes as many, so that they are counted in half the
// window. A set of objects may be written at half the pace, and less evenly, in
// each third of a burst: in recorded rollouts a third of the writes was to objects
// that stay, at most. Of writes in turns some lines may be missing: of every
// second one that is lost by chance, two of three that are left still follow one
// of the other.
func (l limits) half() limits {
	l.writes, l.conflicts = max(2, l.writes/2), max(2, l.conflicts/2)
	l.turns, l.requests = max(3, l.turns/2), max(2, l.requests/2)
	l.pace, l.set = l.writes/2, l.writes
	l.window, l.measure, l.inTurn = l.window/2, faint, 0.5
	l.burst, l.parts, l.rounds, l.same = 2*l.burst, thirds, thirds+1, l.same*5/8
	return l
}

// third returns limits for a loop that the log ends in: requests at the same pace,
// a third as long. Who catches up with a change is done in as much time, but there
// the log goes on.
func (l limits) third() limits {
	l.requests, l.spell = max(2, l.requests/3), l.spell/3
	return l
}
