package analysis

import "slices"

// A hashed key has a hash, and an order, that are the same in every process.
type hashed[K any] interface {
	quick
	hash() uint64
	compare(K) int
}

// A lowest holds values by key, at most cap of them: those whose keys have the lowest
// hashes. The hash from which keys are dropped only falls, so values that survive are
// complete, and which ones do depends on the log alone.
type lowest[K hashed[K], V any] struct {
	index[K, V]
	cap   int
	full  bool   // keys were dropped
	below uint64 // if full: keys are dropped unless their hash is below
}

func newLowest[K hashed[K], V any](size int) lowest[K, V] {
	return lowest[K, V]{cap: size, below: ^uint64(0)}
}

// drops reports whether a key that is not held was, or would be, dropped.
func (l *lowest[K, V]) drops(key K) bool { return l.full && key.hash() >= l.below }

// add adds the value of a new key. The rows may outgrow the cap by a quarter before they
// are cut, so that cutting is rare.
func (l *lowest[K, V]) add(key K, v V) {
	l.put(key, v)
	if len(l.rows) > l.cap+l.cap/4 {
		l.shrink()
	}
}

// shrink drops all but the cap keys with the smallest hashes.
func (l *lowest[K, V]) shrink() {
	if len(l.rows) <= l.cap {
		return
	}
	hashes := make([]uint64, len(l.rows))
	for i := range l.rows {
		hashes[i] = l.rows[i].key.hash()
	}
	slices.Sort(hashes)
	l.lower(hashes[l.cap])
	l.keep(func(key K) bool { return key.hash() < l.below })
}

// lower has keys dropped from a hash on, from now on. It does not drop those that are
// held.
func (l *lowest[K, V]) lower(below uint64) {
	l.below, l.full = min(l.below, below), true
}

// merge takes in what o holds. If both hold a key, join adds their values.
func (l *lowest[K, V]) merge(o *lowest[K, V], join func(mine, theirs V)) {
	if o.full {
		l.lower(o.below)
	}
	for i := range o.rows {
		theirs := &o.rows[i]
		if mine, ok := l.get(theirs.key); ok {
			join(mine, theirs.value)
		} else {
			l.put(theirs.key, theirs.value)
		}
	}
	if l.full {
		l.keep(func(key K) bool { return key.hash() < l.below })
	}
	l.shrink()
}

// exact reports whether no key was dropped.
func (l *lowest[K, V]) exact() bool {
	l.shrink()
	return !l.full
}

// knows reports whether key is held, or would be if it had been added.
func (l *lowest[K, V]) knows(key K) bool {
	l.shrink()
	return !l.drops(key)
}

// overflow estimates how many keys were dropped: hashes are spread evenly, so the share of
// keys that are kept is the share of hashes below the threshold.
func (l *lowest[K, V]) overflow() int {
	if l.exact() {
		return 0
	}
	kept := float64(len(l.rows))
	return int(kept/(float64(l.below)/(1<<64)) - kept)
}

// ordered returns the indexes of the rows, at most cap, in the order of their keys.
func (l *lowest[K, V]) ordered() []int32 {
	l.shrink()
	order := make([]int32, len(l.rows)) // to sort these is cheaper than to move keys about
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return l.rows[i].key.compare(l.rows[j].key) })
	return order
}

// sorted returns the keys, at most cap, in their order.
func (l *lowest[K, V]) sorted() []K {
	order := l.ordered()
	keys := make([]K, len(order))
	for i, row := range order {
		keys[i] = l.rows[row].key
	}
	return keys
}
