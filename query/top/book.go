package top

import (
	"cmp"
	"math"
	"slices"
)

// maxKeys is how many keys a counter keeps, as many as a shard keeps states of an
// analyzer. Between two trims there may be twice as many.
const maxKeys = 20_000

// A book has the counts by key: of all keys, or past maxKeys of those with the
// smallest hashes. The counts of keys that are kept are complete.
type book struct {
	rows  map[string]*line
	below uint64 // keys with this hash or a greater one were dropped
	rest  count  // of all keys that were dropped
}

type line struct {
	count
	hash uint64
}

func newBook() book { return book{rows: map[string]*line{}, below: math.MaxUint64} }

// row returns where a key is counted.
func (b *book) row(key []byte, hash uint64) *count {
	if l := b.rows[string(key)]; l != nil {
		return &l.count
	}
	if hash >= b.below {
		return &b.rest
	}
	l := &line{hash: hash}
	b.rows[string(key)] = l
	if len(b.rows) > 2*maxKeys {
		b.trim()
		if hash >= b.below {
			return &b.rest
		}
	}
	return &l.count
}

// trim drops all but the maxKeys smallest hashes.
func (b *book) trim() {
	if len(b.rows) <= maxKeys {
		return
	}
	hashes := make([]uint64, 0, len(b.rows))
	for _, l := range b.rows {
		hashes = append(hashes, l.hash)
	}
	slices.Sort(hashes)
	b.lower(hashes[maxKeys])
}

// lower drops the keys with this hash or a greater one.
func (b *book) lower(below uint64) {
	b.below = min(b.below, below)
	for key, l := range b.rows {
		if l.hash >= b.below {
			b.rest.merge(&l.count)
			delete(b.rows, key)
		}
	}
}

func (b *book) merge(o *book) {
	b.rest.merge(&o.rest)
	b.lower(o.below)
	for key, l := range o.rows {
		switch mine := b.rows[key]; {
		case l.hash >= b.below:
			b.rest.merge(&l.count)
		case mine != nil:
			mine.merge(&l.count)
		default:
			b.rows[key] = l
		}
	}
	if len(b.rows) > 2*maxKeys {
		b.trim()
	}
}

// full reports whether keys were dropped.
func (b *book) full() bool { return b.below != math.MaxUint64 }

// distinct estimates how many keys there are, kept or dropped. Hashes are spread
// evenly, so the share of them below a threshold is known.
func (b *book) distinct() int64 {
	if !b.full() {
		return int64(len(b.rows))
	}
	return int64(float64(len(b.rows)) * (math.MaxUint64 / float64(b.below)))
}

// Overflowed reports whether there were more keys than a counter keeps, so that
// big ones may be missing. A second reading of the log finds them; see Again.
func (c *Counter) Overflowed() bool {
	c.book.trim()
	return c.book.full()
}

// mostHeavy is how many cells a second reading looks at, at most.
const mostHeavy = 4096

// Again returns a function that makes the workers' counters for a second
// reading of the same log. They keep only keys of the biggest cells, so they
// miss no key that is bigger than the smallest of these cells.
func (c *Counter) Again() func() *Counter {
	// So many cells hold about half of the keys that can be kept.
	cells := int(min(max(int64(maxKeys/2)*cellCount/max(1, c.distinct()), 16), mostHeavy))
	sorted := slices.Clone(c.cells)
	slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(b, a) })
	least := sorted[cells]
	heavy := make([]bool, cellCount)
	for i, n := range c.cells {
		heavy[i] = n > least
	}
	distinct := c.distinct()
	return func() *Counter {
		again := NewCounter(c.keys, c.by)
		again.heavy, again.found = heavy, distinct
		return again
	}
}

// estimates reports whether keys were dropped, so that their number is an estimate
// and a big one may be missing.
func (c *Counter) estimates() bool { return c.heavy != nil || c.book.full() }

// distinct returns how many keys there are, as well as the counter knows.
func (c *Counter) distinct() int64 {
	if c.heavy != nil {
		return c.found
	}
	return c.book.distinct()
}

// unseen returns an upper bound of what a key that is not kept may have of the
// measure: events, errors, microseconds or bytes.
func (c *Counter) unseen() int64 {
	var most int64
	for i, n := range c.cells {
		if c.heavy == nil || !c.heavy[i] {
			most = max(most, n)
		}
	}
	return most
}
