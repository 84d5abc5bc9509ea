package hotloop

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// The kinds of loops: details.kind.
const (
	kindConflicts = "conflicts" // one client, in vain
	kindTurns     = "turns"     // two that undo each other's work
	kindWrites    = "writes"    // many writes, whoever makes them
	kindRequests  = "requests"  // one client that reads and writes without a pause
	kindMany      = "many"      // one client, many objects
)

// A loop is an object's, or a client's, of the kind that tells most of it.
type loop struct {
	kind      string
	objects   []object
	stretches []stretch
}

// judge looks for a loop on one object.
func judge(p *analysis.Pass, o object, items []item) (loop, bool) {
	for _, try := range []func(*analysis.Pass, []item) (string, []stretch){inVain, inTurns, busy, restless} {
		if kind, stretches := try(p, items); len(stretches) > 0 {
			return loop{kind, []object{o}, stretches}, true
		}
	}
	return loop{}, false
}

// inVain looks for a client whose writes conflict as a rule.
func inVain(p *analysis.Pass, items []item) (string, []stretch) {
	least := float64(max(2, p.Int(optConflicts)))
	var all []stretch
	writers, of := byWriter(writesOf(items))
	for _, w := range writers {
		all = append(all, hot(of[w], p.Duration(optWindow), func(s *sum) bool {
			return s.conflicts >= least && 2*s.conflicts >= s.writes && float64(s.n) >= least/2
		})...)
	}
	return kindConflicts, all
}

// inTurns looks for clients that write the same part of the object in turns:
// four of five writes follow one of the other. It takes all writes to tell.
func inTurns(p *analysis.Pass, items []item) (string, []stretch) {
	least := float64(max(3, p.Int(optTurns)))
	var parts []string
	for _, i := range items {
		if !i.read && !slices.Contains(parts, i.Sub) {
			parts = append(parts, i.Sub)
		}
	}
	slices.Sort(parts)
	var all []stretch
	for _, part := range parts {
		writes := slices.DeleteFunc(writesOf(items), func(i item) bool { return i.Sub != part })
		for n := 1; n < len(writes); n++ {
			a, b := &writes[n-1], &writes[n]
			b.turn = a.weight == 1 && b.weight == 1 && a.writer() != b.writer()
		}
		all = append(all, hot(writes, p.Duration(optWindow), func(s *sum) bool {
			return s.turns >= least && 5*s.turns >= 4*s.writes
		})...)
	}
	return kindTurns, all
}

// busy looks for many writes, but for those of steady heartbeats.
func busy(p *analysis.Pass, items []item) (string, []stretch) {
	least := float64(max(2, p.Int(optWrites)))
	writes := writesOf(items)
	writers, of := byWriter(writes)
	for _, w := range writers {
		if heartbeat(of[w], p.Duration(optHeartbeat)) {
			writes = slices.DeleteFunc(writes, func(i item) bool { return i.writer() == w })
		}
	}
	return kindWrites, hot(writes, p.Duration(optWindow), func(s *sum) bool { return s.atLeast() >= least })
}

// beats is how many writes a rhythm takes.
const beats = 10

// heartbeat reports whether the writes keep a steady period, of shortest or
// longer: nine pauses of ten are within a quarter of their median.
func heartbeat(writes []item, shortest time.Duration) bool {
	if len(writes) < beats || !exact(writes) {
		return false
	}
	pauses := make([]time.Duration, 0, len(writes)-1)
	for n := 1; n < len(writes); n++ {
		pauses = append(pauses, writes[n].Began.Sub(writes[n-1].Began))
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

// restless looks for a client that reads the object and writes it, as fast as
// it may: a sixth of the requests or more are writes.
func restless(p *analysis.Pass, items []item) (string, []stretch) {
	least := float64(max(2, p.Int(optRequests)))
	var all []stretch
	writers, of := byWriter(items)
	for _, w := range writers {
		all = append(all, hot(of[w], p.Duration(optBurst), func(s *sum) bool {
			return s.allAtLeast() >= least && 6*s.writes >= s.writes+s.reads
		})...)
	}
	return kindRequests, all
}
