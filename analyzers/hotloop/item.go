package hotloop

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// An item is a request that is kept, in its place among others.
type item struct {
	*line
	read bool
	turn bool // another wrote the same part of the object before
}

func (i *item) conflict() bool { return !i.read && i.Code() == 409 }

// A writer is a client as far as a loop is concerned: replicas behind several
// addresses are one, and a client may change its address.
type writer struct{ user, agent audit.Sym }

func (l *line) writer() writer { return writer{l.Actor(), l.agent} }

// items returns the requests of both samples in order of time. A sample may be
// nil.
func items(writes, reads *Sample) []item {
	var all []item
	if writes != nil {
		for i := range writes.lines {
			all = append(all, item{line: &writes.lines[i]})
		}
	}
	if reads != nil {
		for i := range reads.lines {
			all = append(all, item{line: &reads.lines[i], read: true})
		}
	}
	sortItems(all)
	return all
}

func sortItems(items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Began(), b.Began()), a.Late.Compare(&b.Late))
	})
}

// dealt are items by what they have in common, in order of its first item.
type dealt[K comparable] struct {
	keys []K
	of   map[K][]item
}

func deal[K comparable](items []item, by func(*item) K) dealt[K] {
	d := dealt[K]{of: map[K][]item{}}
	for i := range items {
		k := by(&items[i])
		if d.of[k] == nil {
			d.keys = append(d.keys, k)
		}
		d.of[k] = append(d.of[k], items[i])
	}
	return d
}

func byObject(items []item) dealt[uint64] {
	return deal(items, func(i *item) uint64 { return i.object })
}

func byWriter(items []item) dealt[writer] {
	return deal(items, func(i *item) writer { return i.writer() })
}

func writesOf(items []item) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.read })
}
