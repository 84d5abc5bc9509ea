package analysis

import (
	"cmp"
	"slices"
)

// A hashed key can be told apart from others of its kind in every process.
type hashed[K any] interface {
	comparable
	hash() uint64 // of the texts, and always the same
	compare(K) int
}

// A lowest holds values by key. Past its cap it keeps the keys with the
// smallest hashes: the threshold above which keys are dropped only falls, so
// the values that survive are complete, and which ones survive depends on the
// log alone.
type lowest[K hashed[K], V any] struct {
	rows  map[K]V
	cap   int
	below uint64 // keys whose hash is not below are dropped, once full
	full  bool
}

func newLowest[K hashed[K], V any](size int) lowest[K, V] {
	return lowest[K, V]{rows: map[K]V{}, cap: size, below: ^uint64(0)}
}

// drops reports whether a key that is not held has been dropped, or would be.
func (l *lowest[K, V]) drops(key K) bool { return l.full && key.hash() >= l.below }

// put adds the value of a new key. The rows outgrow the cap by a quarter
// before they are cut, so that cutting is rare.
func (l *lowest[K, V]) put(key K, v V) {
	l.rows[key] = v
	if len(l.rows) > l.cap+l.cap/4 {
		l.shrink()
	}
}

// shrink drops all but the cap keys with the smallest hashes.
func (l *lowest[K, V]) shrink() {
	if len(l.rows) <= l.cap {
		return
	}
	type row struct {
		hash uint64
		key  K
	}
	order := make([]row, 0, len(l.rows))
	for key := range l.rows {
		order = append(order, row{key.hash(), key})
	}
	slices.SortFunc(order, func(x, y row) int {
		if c := cmp.Compare(x.hash, y.hash); c != 0 {
			return c // but for a marvel
		}
		return x.key.compare(y.key)
	})
	for _, r := range order[l.cap:] {
		delete(l.rows, r.key)
	}
	l.lower(order[l.cap].hash)
}

// lower drops keys from a hash on, for good.
func (l *lowest[K, V]) lower(below uint64) {
	l.below, l.full = min(l.below, below), true
}

// merge takes in what o holds. join adds the value of o to one of a key that
// both hold.
func (l *lowest[K, V]) merge(o *lowest[K, V], join func(mine, theirs V)) {
	if o.full {
		l.lower(o.below)
	}
	for key, theirs := range o.rows {
		if mine, ok := l.rows[key]; ok {
			join(mine, theirs)
		} else {
			l.rows[key] = theirs
		}
	}
	if l.full {
		for key := range l.rows {
			if key.hash() >= l.below {
				delete(l.rows, key)
			}
		}
	}
	l.shrink()
}

// exact reports whether no key was dropped.
func (l *lowest[K, V]) exact() bool {
	l.shrink()
	return !l.full
}

// overflow estimates how many keys were dropped: as many lie above the
// threshold, by the share of all hashes that it cuts off.
func (l *lowest[K, V]) overflow() int {
	if l.exact() {
		return 0
	}
	kept := float64(len(l.rows))
	return int(kept/(float64(l.below)/(1<<64)) - kept)
}

// sorted returns the keys in their order, no more than the cap.
func (l *lowest[K, V]) sorted() []K {
	l.shrink()
	keys := make([]K, 0, len(l.rows))
	for key := range l.rows {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, K.compare)
	return keys
}
