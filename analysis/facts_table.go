package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// A rowKey names a row of a table by a few Syms.
type rowKey[K any] interface {
	comparable
	hash() uint64 // of the texts, and always the same
	compare(K) int
}

// A table holds a value for each key, as a book does states: past its cap it
// keeps the keys with the smallest hashes, each with a complete value.
type table[K rowKey[K], V any] struct {
	rows  map[K]*V
	cap   int
	below uint64 // keys whose hash is not below are dropped, once full
	full  bool
}

func newTable[K rowKey[K], V any](size int) table[K, V] {
	return table[K, V]{rows: map[K]*V{}, cap: size, below: ^uint64(0)}
}

// at returns the value of key, made if need be, or nil for a dropped key.
func (t *table[K, V]) at(key K) *V {
	if v, ok := t.rows[key]; ok {
		return v
	}
	if t.full && key.hash() >= t.below {
		return nil
	}
	v := new(V)
	t.rows[key] = v
	if len(t.rows) >= 2*t.cap {
		t.shrink()
		v = t.rows[key]
	}
	return v
}

// get returns the value of key, or nil. Of a table that has grown beyond its
// cap, only the keys that would survive are given: which ones does not depend
// on how the log was cut.
func (t *table[K, V]) get(key K) *V {
	t.shrink()
	return t.rows[key]
}

func (t *table[K, V]) shrink() {
	if len(t.rows) <= t.cap {
		return
	}
	type hashed struct {
		hash uint64
		key  K
	}
	order := make([]hashed, 0, len(t.rows))
	for key := range t.rows {
		order = append(order, hashed{key.hash(), key})
	}
	slices.SortFunc(order, func(x, y hashed) int {
		if c := cmp.Compare(x.hash, y.hash); c != 0 {
			return c // but for a marvel
		}
		return x.key.compare(y.key)
	})
	for _, h := range order[t.cap:] {
		delete(t.rows, h.key)
	}
	t.below = min(t.below, order[t.cap].hash)
	t.full = true
}

func (t *table[K, V]) merge(o *table[K, V], join func(mine, theirs *V)) {
	if o.full {
		t.full = true
		t.below = min(t.below, o.below)
	}
	for key, v := range o.rows {
		if mine, ok := t.rows[key]; ok {
			join(mine, v)
		} else {
			t.rows[key] = v
		}
	}
	if t.full {
		for key := range t.rows {
			if key.hash() >= t.below {
				delete(t.rows, key)
			}
		}
	}
	t.shrink()
}

// exact reports whether no key was dropped.
func (t *table[K, V]) exact() bool {
	t.shrink()
	return !t.full
}

// sorted returns the keys in order.
func (t *table[K, V]) sorted() []K {
	t.shrink()
	keys := make([]K, 0, len(t.rows))
	for key := range t.rows {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, K.compare)
	return keys
}

// savedTable is a table's serial form.
type savedTable[K, V any] struct {
	Below uint64           `json:"below,omitempty"` // 0 unless full
	Rows  []savedRow[K, V] `json:"rows"`
}

type savedRow[K, V any] struct {
	Key   K  `json:"key"`
	Value *V `json:"value"`
}

// MarshalJSON writes the rows in order of their keys.
func (t *table[K, V]) MarshalJSON() ([]byte, error) {
	saved := savedTable[K, V]{Rows: []savedRow[K, V]{}}
	for _, key := range t.sorted() {
		saved.Rows = append(saved.Rows, savedRow[K, V]{key, t.rows[key]})
	}
	if t.full {
		saved.Below = t.below
	}
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON writes into an empty table that has a
// cap.
func (t *table[K, V]) UnmarshalJSON(b []byte) error {
	var saved savedTable[K, V]
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("read a table of facts: %w", err)
	}
	for _, row := range saved.Rows {
		t.rows[row.Key] = row.Value
	}
	if saved.Below != 0 {
		t.below, t.full = saved.Below, true
	}
	return nil
}
