package analysis

import (
	"encoding/json"
	"fmt"
)

// A table is a lowest whose values are facts. They are made when first asked for.
type table[K hashed[K], V any] struct{ lowest[K, *V] }

func newTable[K hashed[K], V any](size int) table[K, V] {
	return table[K, V]{newLowest[K, *V](size)}
}

// at returns the value of key, and makes it if there is none yet. It returns nil if the key
// is dropped.
func (t *table[K, V]) at(key K) *V {
	if v, ok := t.index.get(key); ok {
		return v
	}
	if t.drops(key) {
		return nil
	}
	t.add(key, new(V))
	v, _ := t.index.get(key)
	return v
}

// get returns the value of key, or nil. It cuts the table to its cap first, so that the
// answer does not depend on how the log was split.
func (t *table[K, V]) get(key K) *V {
	t.shrink()
	v, _ := t.index.get(key)
	return v
}

func (t *table[K, V]) merge(o *table[K, V], join func(mine, theirs *V)) {
	t.lowest.merge(&o.lowest, join)
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
		saved.Rows = append(saved.Rows, savedRow[K, V]{key, t.get(key)})
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
		t.put(row.Key, row.Value)
	}
	if saved.Below != 0 {
		t.lower(saved.Below)
	}
	return nil
}
