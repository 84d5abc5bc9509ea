package hotloop

import (
	"math/bits"

	"github.com/kaudit/kaudit/audit"
)

// inTurns looks for clients that write the same part of an object in turns,
// where it is known in which seconds each of them wrote it: four of five writes
// follow one of another. Writes that one client makes within a second are one, and
// so are those of several, of whom somebody writes last: how often they take turns
// within it is not known.
func (c *census) inTurns(object uint64, items []item) *loop {
	least := max(3, c.Int(optTurns))
	parts := deal(items, func(i *item) audit.Sym { return i.Subresource() })
	for _, of := range parts {
		part, theirs := of.key, of.items
		clients := byWriter(theirs)
		if len(clients) < 2 {
			continue
		}
		rounds := map[int64][]uint64{}
		writes := c.course(theirs, least, func(minute int64) (n int) {
			rounds[minute] = make([]uint64, len(clients))
			for i, w := range clients {
				seconds := c.Counts.secondsOf(object, part, w.key, minute)
				rounds[minute][i] = seconds
				n += bits.OnesCount64(seconds)
			}
			return n
		})
		turns, busy, last := course{}, course{}, newTurn(len(clients))
		for _, minute := range writes.hot(1, 1) {
			if _, known := writes[minute-1]; !known {
				last = newTurn(len(clients))
			}
			turns[minute] = last.minute(rounds[minute])
			busy[minute] = bits.OnesCount64(anyOf(rounds[minute]))
		}
		minutes := writes.windows(c.minutes(), func(minutes []int64) bool {
			n := turns.sum(minutes)
			return n >= least && 5*n >= 4*busy.sum(minutes)
		})
		found := c.loop(kindTurns, theirs, minutes, sum{writes: writes.sum(minutes), turns: turns.sum(minutes)}, writes)
		if found == nil {
			continue
		}
		if n := c.writesOf(object, found.items, during(items, minutes), minutes); 4*n > 5*found.sum.writes {
			found.sum.writes = n // they write more often than each second
		}
		if found.atLeast = 5*found.sum.turns < 4*found.sum.writes; !c.heartbeats(object, found, writes, minutes) {
			return found
		}
	}
	return nil
}

// writesOf estimates how many writes of an object in some minutes those to one part
// are, of which some were kept, as there are some of all.
func (c *census) writesOf(object uint64, part, all []item, minutes []int64) int {
	counted := 0
	for _, minute := range minutes {
		counted += c.writesIn(object, minute)
	}
	return int(float64(counted) * weight(part) / weight(all))
}

func weight(items []item) (sum float64) {
	for i := range items {
		sum += items[i].weight(true)
	}
	return sum
}

func anyOf(rounds []uint64) (all uint64) {
	for _, seconds := range rounds {
		all |= seconds
	}
	return all
}

// A turn is who wrote last, as far as it is known: by client, how many changes
// of hands there were at least if it was that one.
type turn []int

func newTurn(clients int) turn { return make(turn, clients) }

// minute goes through a minute, given the seconds in which each client wrote,
// and returns how many more changes of hands there were at least.
func (t turn) minute(seconds []uint64) int {
	before := t.least()
	for second := range 60 {
		var wrote []int
		for i := range seconds {
			if seconds[i]>>second&1 != 0 {
				wrote = append(wrote, i)
			}
		}
		t.second(wrote)
	}
	return t.least() - before
}

// second takes in who wrote within a second, each once, in an order that is not
// known.
func (t turn) second(wrote []int) {
	if len(wrote) == 0 {
		return
	}
	least, next := t.least(), make(turn, len(t))
	for i := range next {
		next[i] = 1 << 30 // who did not write wrote not last
	}
	for _, last := range wrote {
		for _, first := range wrote {
			if len(wrote) == 1 || first != last {
				next[last] = min(next[last], min(t[first], least+1)+len(wrote)-1)
			}
		}
	}
	copy(t, next)
}

func (t turn) least() int {
	least := t[0]
	for _, n := range t {
		least = min(least, n)
	}
	return least
}
