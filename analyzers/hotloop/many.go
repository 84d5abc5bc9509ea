package hotloop

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// fifths is in how many parts of a burst an object must be written to belong
// to a loop over a set of objects.
const fifths = 5

// rounds is how often the objects must be written where the loop is shorter than
// a burst: a fast client makes many rounds in little time.
const rounds = 2 * fifths

// many looks for a client that rewrites a set of objects over and over: its
// loop is a resource's, though no object's alone. What tells it from a burst of
// work is that the set stays: a rollout's objects come, are written some times
// within seconds, and go.
func many(p *analysis.Pass, writes []item) (loops []stretch) {
	least, burst := max(2, p.Int(optWrites)), max(time.Second, p.Duration(optBurst))
	for _, s := range hot(writes, burst, func(s *sum) bool { return 2*s.writes >= least }) {
		objects := len(byObject(s).keys)
		if len(s) < least || objects < max(1, p.Int(optManyObjects)) || s.length() < burst && len(s) < rounds*objects {
			continue
		}
		if staying(s, burst) >= p.Float(optSame) {
			loops = append(loops, s)
		}
	}
	return loops
}

// staying returns the share of writes that are to objects written in each fifth
// of a burst, with the stretch cut into bursts.
func staying(s stretch, burst time.Duration) float64 {
	bursts := max(1, int(s.length()/burst))
	length := s.length()/time.Duration(bursts) + 1 // the last item belongs to the last burst
	stay, all := 0, len(s)
	for len(s) > 0 {
		parts := map[uint64]int{} // by object, a bit each
		begin, n := s[0].Began(), 0
		for n < len(s) && s[n].Began().Sub(begin) < length {
			parts[s[n].object] |= 1 << int(fifths*s[n].Began().Sub(begin)/length)
			n++
		}
		for i := range s[:n] {
			if parts[s[i].object] == 1<<fifths-1 {
				stay++
			}
		}
		s = s[n:]
	}
	return float64(stay) / float64(all)
}
