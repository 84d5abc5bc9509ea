package hotloop

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// fifths are the parts of a burst in each of which an object must be written to
// belong to a loop over a set of objects, thirds where half a loop will do.
const fifths, thirds = 5, 3

// many looks for a client that rewrites a set of objects over and over: its
// loop is a resource's, though no object's alone. What tells it from a burst of
// work is that the set stays: a rollout's objects come, are written some times
// within seconds, and go. A loop shorter than a burst must make more rounds: a
// fast client makes many in little time. A client that holds many Leases renews them all.
func (l limits) many(writes []item) (loops []stretch) {
	if l.resource == leases {
		writes = l.restlessly(writes)
	}
	for _, s := range hot(writes, l.burst, func(s *sum) bool { return s.writes >= l.pace }) {
		objects := len(byObject(s))
		if len(s) < l.set || objects < l.objects || (l.measure == faint || s.length() < l.burst) && len(s) < l.rounds*objects {
			continue
		}
		if staying(s, l.burst, l.parts) >= l.same {
			loops = append(loops, s)
		}
	}
	return loops
}

// sets looks for clients that rewrite a set of objects.
func (l limits) sets(all []item, others []*loop) (loops []*loop) {
	known := objectsOf(others)
	clients := byWriter(slices.DeleteFunc(slices.Clone(all), func(i item) bool { return i.read || known[i.object] }))
	for _, client := range clients {
		if stretches := l.many(client.items); len(stretches) > 0 {
			loops = append(loops, l.loopOf(kindMany, stretches))
		}
	}
	return loops
}

// large looks for the same where the set is large.
func (l limits) large(all []item, others []*loop) []*loop {
	loops := l.wide().sets(all, others)
	for _, found := range loops {
		found.wide = true
	}
	return slices.DeleteFunc(loops, func(l *loop) bool { return !fromFew(l.items) })
}

// fromFew reports whether the writes of a set come from few addresses, at most one
// for four objects. An agent on each node that refreshes an object of its own is no
// loop.
func fromFew(items []item) bool {
	ips := len(deal(items, func(i *item) audit.Sym { return i.ip }))
	return 4*ips <= len(byObject(items))
}

// staying returns the share of writes that are to objects written in each of the
// parts of a burst, with the stretch cut into bursts.
func staying(s stretch, burst time.Duration, of int) float64 {
	bursts := max(1, int(s.length()/burst))
	length := s.length()/time.Duration(bursts) + 1 // the last item belongs to the last burst
	stay, all := 0, len(s)
	for len(s) > 0 {
		parts := map[uint64]int{} // by object, a bit each
		begin, n := s[0].Began(), 0
		for n < len(s) && s[n].Began().Sub(begin) < length {
			parts[s[n].object] |= 1 << int(time.Duration(of)*s[n].Began().Sub(begin)/length)
			n++
		}
		for i := range s[:n] {
			if parts[s[i].object] == 1<<of-1 {
				stay++
			}
		}
		s = s[n:]
	}
	return float64(stay) / float64(all)
}
