package analysis

import (
	"hash/maphash"

	"github.com/kaudit/kaudit/audit"
)

// An index finds values by key in a third of a map's time: keys have a quick hash, made
// of the addresses of their interned names, and no key is ever deleted singly. It uses
// open addressing with linear probing. The zero index is empty.
type index[K quick, V any] struct {
	rows  []indexRow[K, V] // in order of arrival
	slots []slot           // a power of two in number, at most three quarters full
}

// A quick key has a hash that is quick to make, and the same within one process only.
type quick interface {
	comparable
	quick() uint64
}

type indexRow[K, V any] struct {
	key   K
	value V
}

// A slot has the number of a row, counted from 1, and a part of its key's hash. Row 0: it
// is free.
type slot struct{ tag, row uint32 }

// minSlots is how many slots an index has to begin with.
const minSlots = 16

// get returns the value of key.
func (x *index[K, V]) get(key K) (v V, ok bool) {
	if len(x.slots) == 0 {
		return v, false
	}
	if s := x.slots[x.find(&key, key.quick())]; s.row != 0 {
		return x.rows[s.row-1].value, true
	}
	return v, false
}

// find returns the slot of key, or the free one in which it belongs.
func (x *index[K, V]) find(key *K, hash uint64) int {
	mask := uint64(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := x.slots[i]
		if s.row == 0 || s.tag == uint32(hash>>32) && x.rows[s.row-1].key == *key {
			return int(i)
		}
	}
}

// put sets the value of key.
func (x *index[K, V]) put(key K, v V) {
	if 4*(len(x.rows)+1) > 3*len(x.slots) {
		x.rehash(max(minSlots, 2*len(x.slots)))
	}
	hash := key.quick()
	s := &x.slots[x.find(&key, hash)]
	if s.row != 0 {
		x.rows[s.row-1].value = v
		return
	}
	x.rows = append(x.rows, indexRow[K, V]{key, v})
	*s = slot{uint32(hash >> 32), uint32(len(x.rows))}
}

// rehash puts all rows into so many new slots.
func (x *index[K, V]) rehash(slots int) {
	x.slots = make([]slot, slots)
	for i := range x.rows {
		key := &x.rows[i].key
		hash := (*key).quick()
		x.slots[x.find(key, hash)] = slot{uint32(hash >> 32), uint32(i + 1)}
	}
}

// keep drops the rows whose keys are not to stay. Indexes of rows change.
func (x *index[K, V]) keep(stays func(key K) bool) {
	kept := x.rows[:0]
	for _, row := range x.rows {
		if stays(row.key) {
			kept = append(kept, row)
		}
	}
	if len(kept) < len(x.rows) {
		clear(x.rows[len(kept):])
		x.rows = kept
		x.rehash(len(x.slots))
	}
}

// Multipliers for hashes, one for each field of a key: arbitrary odd numbers whose bits
// have no pattern.
const (
	place1 = 0x9e3779b97f4a7c15
	place2 = 0xc2b2ae3d27d4eb4f
	place3 = 0xd1342543de82ef95
	place4 = 0xa0761d6478bd642f
	place5 = 0xe7037ed1a0b428db
	place6 = 0x8ebc6af09c88c6e3
	place7 = 0x589965cc75374cc3
	place8 = 0x1d8e4e27c47d124f
	place9 = 0xeb44accab455d165
)

// quick adds products that do not depend on each other, so that the processor multiplies
// them side by side. The last step brings the high bits down.
func (k Key) quick() uint64 {
	h := place(k.Kind)*place1 + place(k.User)*place2 + place(k.UserAgent)*place3 + place(k.SourceIP)*place4 +
		place(k.Group)*place5 + place(k.Resource)*place6 + place(k.Subresource)*place7 + place(k.Namespace)*place8 +
		place(k.Selector)*place9
	if k.Name != "" {
		h ^= maphash.String(quickSeed, k.Name)
	}
	return h ^ h>>29
}

func (c Client) quick() uint64 {
	h := place(c.User)*place2 + place(c.UserAgent)*place3 + place(c.SourceIP)*place4
	return h ^ h>>29
}

func (s Scope) quick() uint64 {
	h := place(s.Group)*place5 + place(s.Resource)*place6 + place(s.Namespace)*place8
	return h ^ h>>29
}

var quickSeed = maphash.MakeSeed()

// place is where an interned name stands in memory.
func place(s audit.Sym) uint64 { return uint64(s.Address()) }
