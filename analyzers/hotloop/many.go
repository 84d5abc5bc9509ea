package hotloop

import "time"

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
		objects := len(byObject(s).keys)
		if len(s) < l.set || objects < l.objects || (l.measure == faint || s.length() < l.burst) && len(s) < l.rounds*objects {
			continue
		}
		if staying(s, l.burst, l.parts) >= l.same {
			loops = append(loops, s)
		}
	}
	return loops
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
