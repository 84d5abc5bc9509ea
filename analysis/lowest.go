package analysis

import "slices"

// A hashed key can be told apart from others of its kind in every process.
type hashed[K any] interface {
	quick
	hash() uint64 // of the texts, and always the same
	compare(K) int
}

// A lowest holds values by key. Past its cap it keeps the keys with the
// smallest hashes: the threshold above which keys are dropped only falls, so
// the values that survive are complete, and which ones survive depends on the
// log alone.
type lowest[K hashed[K], V any] struct {
	index[K, V]
	cap   int
	below uint64 // keys whose hash is not below are dropped, once full
	full  bool
}

func newLowest[K hashed[K], V any](size int) lowest[K, V] {
	return lowest[K, V]{cap: size, below: ^uint64(0)}
}

// drops reports whether a key that is not held has been dropped, or would be.
func (l *lowest[K, V]) drops(key K) bool { return l.full && key.hash() >= l.below }

// add adds the value of a new key. The rows outgrow the cap by a quarter
// before they are cut, so that cutting is rare.
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

// overflow estimates how many keys were dropped: as many lie above the
// threshold, by the share of all hashes that it cuts off.
func (l *lowest[K, V]) overflow() int {
	if l.exact() {
		return 0
	}
	kept := float64(len(l.rows))
	return int(kept/(float64(l.below)/(1<<64)) - kept)
}

// ordered returns where the rows stand, in the order of their keys, no more than the cap.
func (l *lowest[K, V]) ordered() []int32 {
	l.shrink()
	order := make([]int32, len(l.rows)) // a key is large to be moved about
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return l.rows[i].key.compare(l.rows[j].key) })
	return order
}

// sorted returns the keys in their order, no more than the cap.
func (l *lowest[K, V]) sorted() []K {
	order := l.ordered()
	keys := make([]K, len(order))
	for i, row := range order {
		keys[i] = l.rows[row].key
	}
	return keys
}
