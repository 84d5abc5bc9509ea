package analysis

import "strings"

// maxKeys is how many states of one analyzer a log may make, in one worker.
// States take from some hundred bytes to tens of kilobytes, so a log made to
// fill every book takes hundreds of megabytes: docs/performance.md has what
// was measured.
const maxKeys = 20_000

// A book holds the states of one analyzer by key.
type book struct{ lowest[Key, State] }

func newBook(size int) book { return book{newLowest[Key, State](size)} }

// state returns the state of key, making it if need be, or nil for a dropped
// key.
func (b *book) state(key Key, make func() State) State {
	if s, ok := b.get(key); ok {
		return s
	}
	if b.drops(key) {
		return nil
	}
	key.Name = strings.Clone(key.Name)
	s := make()
	b.add(key, s)
	return s
}

func (b *book) merge(o *book) { b.lowest.merge(&o.lowest, State.Merge) }
