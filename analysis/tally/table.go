package tally

import (
	"slices"
	"strings"
)

const defaultTable = 64

// A Table holds a value for each name: for all names up to Cap, else for those
// with the smallest hashes. The value of a name that is kept is complete.
type Table[V Adder[V]] struct {
	Cap   int      `json:"cap,omitempty"` // 0 is 64
	Rows  []Row[V] `json:"rows,omitempty"`
	Spilt bool     `json:"spilt,omitempty"` // there were more names than Cap
}

// A Row is a name, its Hash and its value. Rows are in order of the hashes.
type Row[V any] struct {
	Hash  uint64 `json:"hash"`
	Name  string `json:"name"`
	Value V      `json:"value"`
}

// At returns the value of name, to be changed in place until the next call of any method,
// or nil if the name is not kept. It copies the name if it is new: it may be part of a
// buffer that changes.
func (t *Table[V]) At(name string) *V {
	hash := Hash(name)
	i, ok := t.find(hash, name)
	if !ok {
		if i, ok = t.place(i); !ok {
			return nil
		}
		t.Rows[i] = Row[V]{Hash: hash, Name: strings.Clone(name)}
	}
	return &t.Rows[i].Value
}

// AtBytes is At of string(name), which it copies only if it is new and kept.
func (t *Table[V]) AtBytes(name []byte) *V { return t.At(view(name)) }

// Get returns the value of name, or nil if it has none that is kept.
func (t *Table[V]) Get(name string) *V {
	if i, found := t.find(Hash(name), name); found {
		return &t.Rows[i].Value
	}
	return nil
}

// GetHash is Get of the name that has this [Hash].
func (t *Table[V]) GetHash(hash uint64) *V {
	if i, _ := t.find(hash, ""); i < len(t.Rows) && t.Rows[i].Hash == hash {
		return &t.Rows[i].Value
	}
	return nil
}

// Merge takes in what o holds.
func (t *Table[V]) Merge(o *Table[V]) {
	t.Cap = max(t.Cap, o.Cap)
	t.Spilt = t.Spilt || o.Spilt
	for _, row := range o.Rows {
		i, ok := t.find(row.Hash, row.Name)
		if ok {
			t.Rows[i].Value = t.Rows[i].Value.Plus(row.Value)
		} else if i, ok = t.place(i); ok {
			t.Rows[i] = row
		}
	}
}

// Plus makes a Table a cell of [Cells]. It uses up both.
func (t Table[V]) Plus(o Table[V]) Table[V] {
	t.Merge(&o)
	return t
}

// Exact reports whether all names were kept.
func (t *Table[V]) Exact() bool { return !t.Spilt }

// Sorted returns the rows in order of their names.
func (t *Table[V]) Sorted() []Row[V] {
	rows := slices.Clone(t.Rows)
	slices.SortFunc(rows, func(a, b Row[V]) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// place makes room for a row at i, where its hash belongs. ok is false if the hash is not
// among the smallest.
func (t *Table[V]) place(i int) (at int, ok bool) {
	if len(t.Rows) >= t.size() {
		t.Spilt = true
		if i == len(t.Rows) {
			return 0, false
		}
		t.Rows = t.Rows[:len(t.Rows)-1]
	}
	t.Rows = slices.Insert(t.Rows, i, Row[V]{})
	return i, true
}

// find returns where the row of name is or belongs.
func (t *Table[V]) find(hash uint64, name string) (int, bool) {
	low, high := 0, len(t.Rows)
	for low < high {
		if middle := int(uint(low+high) >> 1); t.Rows[middle].Hash < hash {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for ; low < len(t.Rows) && t.Rows[low].Hash == hash; low++ { // at most one, unless hashes collide
		if have := t.Rows[low].Name; have >= name {
			return low, have == name
		}
	}
	return low, false
}

func (t *Table[V]) size() int {
	if t.Cap > 0 {
		return t.Cap
	}
	return defaultTable
}
