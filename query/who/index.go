package who

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// An object identifies an object.
type object struct{ resource, namespace, name string }

// A place identifies objects of any kind by namespace and name.
type place struct{ namespace, name string }

// A hand identifies a client and a node; node "" stands for all nodes.
type hand struct{ client, node string }

// An index finds deeds by what causes are looked for by, so that an answer about
// thousands of objects looks at only a few deeds for each. Its lists are in order
// of time.
type index struct {
	created map[object][]audit.Time
	owners  map[object][]Owner // that some body tells
	node    map[object]string  // the node whose kubelet wrote to the object

	written     map[object][]*Deed // leads, but for writes to a status
	deleted     map[place][]*Deed  // the deletions among these
	elsewhere   map[place][]*Deed  // deletions elsewhere
	namespaces  map[string][]*Deed // deletions of namespaces, by name
	collections map[string][]*Deed // deletions of collections, by namespace
	cordons     map[hand][]*Deed   // patches of nodes
	nodesLost   map[string][]*Deed // by node: it was marked or deleted
}

func newIndex(c *Collector) *index {
	x := &index{
		created: map[object][]audit.Time{}, owners: map[object][]Owner{}, node: map[object]string{},
		written: map[object][]*Deed{}, deleted: map[place][]*Deed{}, elsewhere: map[place][]*Deed{},
		namespaces: map[string][]*Deed{}, collections: map[string][]*Deed{},
		cordons: map[hand][]*Deed{}, nodesLost: map[string][]*Deed{},
	}
	for _, s := range []*shelf{&c.touched, &c.deeds, &c.leads} {
		for _, d := range s.deeds {
			x.addObject(d)
		}
	}
	for _, d := range c.kin.deeds {
		if o := d.object(); x.owners[o] == nil {
			x.owners[o] = d.Owners
		}
	}
	for _, times := range x.created {
		slices.Sort(times)
	}
	for _, d := range c.deeds.deeds {
		if d.Verb == "deletecollection" {
			x.collections[d.Namespace] = append(x.collections[d.Namespace], d)
		}
	}
	for _, d := range c.leads.deeds {
		x.addLead(d)
	}
	for _, d := range c.elsewhere.deeds {
		if deletes(d) {
			x.elsewhere[d.place()] = append(x.elsewhere[d.place()], d)
		}
	}
	for _, d := range c.nodes.deeds {
		x.addNode(d)
	}
	return x
}

func (x *index) addObject(d *Deed) {
	o := d.object()
	if d.Verb == "create" && d.Subresource == "" {
		x.created[o] = append(x.created[o], d.Time)
	}
	if x.owners[o] == nil && d.Owners != nil {
		x.owners[o] = d.Owners
	}
	if name, ok := strings.CutPrefix(d.User, nodeUser); ok && x.node[o] == "" {
		x.node[o] = name
	}
}

func (x *index) addLead(d *Deed) {
	if d.Subresource != "status" {
		x.written[d.object()] = append(x.written[d.object()], d)
	}
	if !deletes(d) {
		return
	}
	x.deleted[d.place()] = append(x.deleted[d.place()], d)
	if d.Resource == "namespaces" {
		x.namespaces[d.Name] = append(x.namespaces[d.Name], d)
	}
}

func (x *index) addNode(d *Deed) {
	if d.Verb == "patch" {
		for _, h := range []hand{{d.Client(), d.Name}, {d.Client(), ""}} {
			x.cordons[h] = append(x.cordons[h], d)
		}
	}
	if deletes(d) || isEvictor(d.User) {
		x.nodesLost[d.Name] = append(x.nodesLost[d.Name], d)
	}
}

// createdBetween reports whether the object was created after one time and
// before the other.
func (x *index) createdBetween(o object, after, before audit.Time) bool {
	times := x.created[o]
	i, _ := slices.BinarySearch(times, after+1)
	return i < len(times) && times[i] < before
}

// latest returns the last of deeds, which are in order of time, that may be the
// cause of d: it began before d ended, and at most within before. It may have ended
// after d, since a controller may act before the request that led to it is answered.
func latest(deeds []*Deed, d *Deed, within time.Duration, is func(*Deed) bool) *Deed {
	end, _ := slices.BinarySearchFunc(deeds, d.Time.Add(soon), func(o *Deed, t audit.Time) int { return cmp.Compare(o.Time, t) })
	for i := end - 1; i >= 0 && d.Time.Sub(deeds[i].Time) <= within; i-- {
		o := deeds[i]
		if o != d && o.Began() <= d.Time && o.AuditID != d.AuditID && is(o) {
			return o
		}
	}
	return nil
}

// byName returns the latest deed to an object from whose name d's is made: the name,
// a hyphen, and more. Longer names are tried first.
func byName(d *Deed, within time.Duration, deedsOf func(name string) []*Deed, is func(*Deed) bool) *Deed {
	for name := range stems(d.Name) {
		if o := latest(deedsOf(name), d, within, is); o != nil {
			return o
		}
	}
	return nil
}

// stems returns what stands before each hyphen of a name, the longest first.
func stems(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := strings.LastIndexByte(name, '-'); i > 0; i = strings.LastIndexByte(name[:i], '-') {
			if !yield(name[:i]) {
				return
			}
		}
	}
}
