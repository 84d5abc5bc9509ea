package hotloop

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
)

// pace is how often each object is written, in seconds, when a client writes
// many over and over: half as often as the one object of kindWrites, rounded.
const pace = 2

// many looks for a client that rewrites a whole set of objects over and over:
// its loop is a resource's, though no object's alone.
func many(p *analysis.Pass, writes []item) []stretch {
	least := float64(max(2, p.Int(optWrites)))
	burst := p.Duration(optBurst)
	repeats := burst.Seconds() / pace
	stretches := hot(writes, burst, func(s *sum) bool { return s.atLeast() >= least/2 })
	stretches = slices.DeleteFunc(stretches, func(s stretch) bool {
		t := total(s)
		length := max(burst, s[len(s)-1].Began.Sub(s[0].Began))
		return t.atLeast() < least || again(s) < max(2, repeats*float64(length)/float64(max(1, burst)))
	})
	if len(stretches) > 0 && objectsOf(joined(stretches)) < max(1, p.Int(optManyObjects)) {
		return nil
	}
	return stretches
}

// again estimates how many writes there were to the object that a write goes
// to, on average. In a sample of one in w, of an object's c writes some c/w
// are found, and of its c(c-1) pairs some c(c-1)/w²: that does not depend on
// how many objects the sample missed.
func again(items []item) float64 {
	_, of := byObject(items)
	var weight, pairs float64
	for _, i := range items {
		weight += i.weight
	}
	mean := weight / float64(len(items))
	for _, same := range of {
		n := float64(len(same))
		pairs += n * (n - 1)
	}
	return 1 + pairs*mean*mean/weight
}

func objectsOf(items []item) int {
	objects, _ := byObject(items)
	return len(objects)
}
