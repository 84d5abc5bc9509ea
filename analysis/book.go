package analysis

import "strings"

// maxKeys is how many states of one analyzer a shard holds. A state takes from some
// hundred bytes to tens of kilobytes, so a log made to fill every book takes hundreds of
// megabytes: docs/performance.md tells what was measured.
const maxKeys = 20_000

// A book with up to roomyKeys states gives each all the room that it asks for, one with
// up to twice as many half of it, and so on, so that all together take no more (see
// Narrower). A state never has less than 1/maxShare of its room, where it would be of no
// use. That many keys are well below maxKeys, so the share depends on the log alone.
const (
	roomyKeys = 1024
	maxShare  = 16
)

// A book holds the states of one analyzer by key.
type book struct {
	lowest[Key, State]
	share int // each state has 1/share of its room; 0 is as 1
}

func newBook(size int) book { return book{lowest: newLowest[Key, State](size)} }

// state returns the state of a key, and makes it if there is none yet. It returns nil if
// the key is dropped.
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
	if b.growShare() {
		b.narrow()
	} else if n, ok := s.(Narrower); ok && b.share > 1 {
		n.Narrow(b.share)
	}
	return s
}

// growShare sets the share that is due for the number of keys, and reports whether it
// has grown.
func (b *book) growShare() (grown bool) {
	for b.share < maxShare && len(b.rows) > roomyKeys*max(1, b.share) {
		b.share, grown = 2*max(1, b.share), true
	}
	return grown
}

// narrow bounds all states to the book's share of their room.
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
	b.growShare()
	b.narrow()
}

// report has every state report to p, in order of keys, until stop returns true. It
// returns whether all did. If last is set, it lets go of each state that has.
func (b *book) report(p *Pass, stop func() bool, last bool) (all bool) {
	for _, at := range b.ordered() {
		if stop() {
			return false
		}
		row := &b.rows[at]
		state := row.value
		if last {
			row.value = nil
		}
		p.Key = row.key
		state.Report(p)
	}
	return true
}
