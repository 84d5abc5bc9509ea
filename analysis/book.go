package analysis

import "strings"

// maxKeys is how many states of one analyzer a log may make, in one worker.
// States take from some hundred bytes to tens of kilobytes, so a log made to
// fill every book takes hundreds of megabytes: docs/performance.md has what
// was measured.
const maxKeys = 20_000

// A book with up to roomyKeys gives each state all the room that it asks for;
// one with twice as many half of it, and so on, so that all states together
// take no more (see Narrower). From a sixteenth on it is as little as makes
// sense, and well below maxKeys, so that the share depends on the log alone.
const (
	roomyKeys = 1024
	maxShare  = 16
)

// A book holds the states of one analyzer by key.
type book struct {
	lowest[Key, State]
	share int // of the room that each state has; 0 is all
}

func newBook(size int) book { return book{lowest: newLowest[Key, State](size)} }

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
	if b.widen() {
		b.narrow()
	} else if n, ok := s.(Narrower); ok && b.share > 1 {
		n.Narrow(b.share)
	}
	return s
}

// widen sets the share that is due for so many keys, and reports whether it
// has grown.
func (b *book) widen() (grown bool) {
	for b.share < maxShare && len(b.rows) > roomyKeys*max(1, b.share) {
		b.share, grown = 2*max(1, b.share), true
	}
	return grown
}

// narrow leaves to all states the room that is due.
func (b *book) narrow() {
	if b.share < 2 {
		return
	}
	for i := range b.rows {
		if n, ok := b.rows[i].value.(Narrower); ok {
			n.Narrow(b.share)
		}
	}
}

func (b *book) merge(o *book) {
	b.share = max(b.share, o.share)
	b.lowest.merge(&o.lowest, State.Merge)
	b.widen()
	b.narrow()
}
