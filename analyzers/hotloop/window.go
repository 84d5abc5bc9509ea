package hotloop

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A sum is what a window of time holds.
type sum struct{ writes, reads, conflicts, turns int }

func (s *sum) add(i *item, sign int) {
	if i.read {
		s.reads += sign
		return
	}
	s.writes += sign
	if i.conflict() {
		s.conflicts += sign
	}
	if i.turn {
		s.turns += sign
	}
}

// mayRenew reports whether requests may be those that renew a lock, which is read
// once at most for each time it is written. A Lease is nothing but a lock, however
// often it is looked at.
func (s sum) mayRenew(resource audit.Sym) bool {
	return resource == leases || 4*s.reads <= 5*s.writes
}

// plus adds what another window holds.
func (s *sum) plus(o sum) {
	s.writes += o.writes
	s.reads += o.reads
	s.conflicts += o.conflicts
	s.turns += o.turns
}

func total(items []item) (s sum) {
	for i := range items {
		s.add(&items[i], 1)
	}
	return s
}

// A stretch is a row of items that lie in windows that were found to be hot.
type stretch []item

func (s stretch) length() time.Duration { return s[len(s)-1].Began().Sub(s[0].Began()) }

func (s stretch) mark() analysis.Mark {
	return analysis.Mark{Kind: "loop", From: s[0].Began(), To: s[len(s)-1].Began(), N: max(1, total(s).writes)}
}

// hot returns the stretches of items, in order of time, in which every item
// lies in some window that is hot.
func hot(items []item, window time.Duration, is func(*sum) bool) (stretches []stretch) {
	window = max(0, window)
	var s sum
	from, until := 0, 0 // the window's first; the last stretch's end
	begin := -1
	for i := range items {
		s.add(&items[i], 1)
		for items[i].Began().Sub(items[from].Began()) > window {
			s.add(&items[from], -1)
			from++
		}
		if !is(&s) {
			continue
		}
		if begin >= 0 && from >= until {
			stretches = append(stretches, items[begin:until])
			begin = -1
		}
		if begin < 0 {
			begin = from
		}
		until = i + 1
	}
	if begin >= 0 {
		stretches = append(stretches, items[begin:until])
	}
	return stretches
}

// joined returns the items of all stretches.
func joined(stretches []stretch) []item {
	var all []item
	for _, s := range stretches {
		all = append(all, s...)
	}
	return all
}
