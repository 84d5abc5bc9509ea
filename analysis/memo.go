package analysis

import "sync"

// A memo remembers answers about a log until more of it is read. Analyzers may ask it side
// by side; the zero memo is empty.
type memo[K comparable, V any] struct {
	mu     sync.Mutex
	events int64 // Facts.Events when the answers were worked out
	known  map[K]V
}

// get returns the answer for key, which work works out once for all who ask. work must not
// ask the same memo.
func (m *memo[K, V]) get(f *Facts, key K, work func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.events != f.Events {
		m.events, m.known = f.Events, map[K]V{}
	}
	v, ok := m.known[key]
	if !ok {
		v = work()
		m.known[key] = v
	}
	return v
}

// forget drops all answers.
func (m *memo[K, V]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = nil
}
