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

// A group is of items that have a key in common.
type group[K comparable] struct {
	key   K
	items []item // in the order in which they were dealt
}

// deal returns the groups of items, in order of the first item of each. It makes room for
// all of them at once: there are many small ones.
func deal[K comparable](items []item, by func(*item) K) (groups []group[K]) {
	nth := make([]int, len(items)) // the group of each item
	known := map[K]int{}
	var sizes []int
	for i := range items {
		key := by(&items[i])
		n, found := known[key]
		if !found {
			n = len(groups)
			known[key] = n
			groups, sizes = append(groups, group[K]{key: key}), append(sizes, 0)
		}
		nth[i] = n
		sizes[n]++
	}
	room := make([]item, len(items))
	for n, size := range sizes {
		groups[n].items, room = room[:0:size], room[size:]
	}
	for i := range items {
		g := &groups[nth[i]]
		g.items = append(g.items, items[i])
	}
	return groups
}

func byObject(items []item) []group[uint64] {
	return deal(items, func(i *item) uint64 { return i.object })
}

func byWriter(items []item) []group[writer] {
	return deal(items, func(i *item) writer { return i.writer() })
}

func writesOf(items []item) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.read })
}
