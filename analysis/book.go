package analysis

import (
	"cmp"
	"slices"
	"strings"
)

// maxKeys is how many states of one analyzer a log may make. At some hundred
// bytes a state, 13 analyzers at their caps stay in the tens of megabytes.
const maxKeys = 20_000

// A book holds the states of one analyzer by key. Past its cap it keeps the
// keys with the smallest hashes: a threshold above which keys are dropped only
// falls, so the states that survive have seen all of their events, and which
// ones survive depends on the log alone.
type book struct {
	states map[Key]State
	cap    int
	below  uint64 // keys whose hash is not below are dropped
	full   bool
}

func newBook(size int) book {
	return book{states: map[Key]State{}, cap: size, below: ^uint64(0)}
}

// state returns the state of key, making it if need be, or nil for a dropped
// key.
func (b *book) state(key Key, make func() State) State {
	if s, ok := b.states[key]; ok {
		return s
	}
	if b.full && key.hash() >= b.below {
		return nil
	}
	key.Name = strings.Clone(key.Name)
	s := make()
	b.states[key] = s
	if len(b.states) > b.cap+b.cap/4 {
		b.shrink()
	}
	return s
}

// shrink drops all but the cap keys with the smallest hashes.
func (b *book) shrink() {
	if len(b.states) <= b.cap {
		return
	}
	type hashed struct {
		hash uint64
		key  Key
	}
	order := make([]hashed, 0, len(b.states))
	for key := range b.states {
		order = append(order, hashed{key.hash(), key})
	}
	slices.SortFunc(order, func(x, y hashed) int {
		if c := cmp.Compare(x.hash, y.hash); c != 0 {
			return c // but for a marvel
		}
		return x.key.Compare(y.key)
	})
	for _, h := range order[b.cap:] {
		delete(b.states, h.key)
	}
	b.below = min(b.below, order[b.cap].hash)
	b.full = true
}

func (b *book) merge(o *book) {
	if o.full {
		b.full = true
		b.below = min(b.below, o.below)
	}
	for key, state := range o.states {
		if mine, ok := b.states[key]; ok {
			mine.Merge(state)
		} else {
			b.states[key] = state
		}
	}
	if b.full {
		for key := range b.states {
			if key.hash() >= b.below {
				delete(b.states, key)
			}
		}
	}
	b.shrink()
}

// overflow estimates how many keys were dropped: as many lie above the
// threshold, by the share of all hashes that it cuts off.
func (b *book) overflow() int {
	b.shrink()
	if !b.full {
		return 0
	}
	kept := float64(len(b.states))
	return int(kept/(float64(b.below)/(1<<64)) - kept)
}

// sorted returns the keys in canonical order, no more than the cap.
func (b *book) sorted() []Key {
	b.shrink()
	keys := make([]Key, 0, len(b.states))
	for key := range b.states {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, Key.Compare)
	return keys
}
