package hotloop

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis/tally"
)

// An item is a request with how many requests it stands for.
type item struct {
	*Request
	weight float64
	read   bool
	turn   bool // another wrote the same part of the object before
}

func (i *item) conflict() bool { return !i.read && i.Line.Code == 409 }

// A writer is a client as far as a loop is concerned: replicas behind several
// addresses are one, and a client may change its address.
type writer struct{ user, agent string }

func (i *item) writer() writer { return writer{i.User, i.Agent} }

// An object is what a request is for, whatever part of it.
type object struct{ namespace, name string }

func (i *item) object() object { return object{i.Namespace, i.Name} }

// exact reports whether the items are all there were.
func exact(items []item) bool {
	return !slices.ContainsFunc(items, func(i item) bool { return i.weight > 1 })
}

// items returns all requests in order of time.
func (s *State) items() []item {
	items := appendItems(nil, &s.Writes, false)
	items = appendItems(items, &s.Reads, true)
	sortItems(items)
	return items
}

func sortItems(items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Began, b.Began), a.Compare(b.Request))
	})
}

func appendItems(items []item, cells *tally.Cells[Sample], read bool) []item {
	for _, sample := range cells.All() {
		for _, request := range sample.Items {
			items = append(items, item{
				Request: request, read: read,
				weight: float64(sample.N) / float64(len(sample.Items)),
			})
		}
	}
	return items
}

// byObject deals the items out by object. The objects are in order of name.
func byObject(items []item) (objects []object, of map[object][]item) {
	of = map[object][]item{}
	for _, i := range items {
		if _, ok := of[i.object()]; !ok {
			objects = append(objects, i.object())
		}
		of[i.object()] = append(of[i.object()], i)
	}
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	return objects, of
}

// byWriter deals the items out by writer. The writers are in order of name.
func byWriter(items []item) (writers []writer, of map[writer][]item) {
	of = map[writer][]item{}
	for _, i := range items {
		if _, ok := of[i.writer()]; !ok {
			writers = append(writers, i.writer())
		}
		of[i.writer()] = append(of[i.writer()], i)
	}
	slices.SortFunc(writers, func(a, b writer) int {
		return cmp.Or(strings.Compare(a.user, b.user), strings.Compare(a.agent, b.agent))
	})
	return writers, of
}

func writesOf(items []item) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.read })
}
