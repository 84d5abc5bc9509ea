package analysis

import (
	"strconv"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of writes. Most watches see all namespaces, so a resource as a whole has
// the most room: one that is written all the time takes some 80 KiB, and large clusters
// have some twenty such. A resource in one namespace takes 4 KiB if it is as busy, and half
// a kilobyte as a rule.
const (
	maxResources  = 512
	maxScopes     = 4096
	maxNames      = 128 // objects of one resource whose changes are known by name
	nameIntervals = 4
	deleteCells   = 16 // stretches of time in which deletes of a resource are kept
)

// room is how much is kept of one scope.
type room struct {
	changes  int // 16 bytes each while exact, then 48
	updates  int
	versions int // 24 bytes each
}

var (
	resourceRoom = room{changes: 512, updates: 128, versions: 64}
	// Components renew Leases all the time, so the versions of Leases tell what version
	// the cluster was at when.
	leaseRoom = room{changes: 512, updates: 128, versions: 1024}
	scopeRoom = room{changes: 32, updates: 8, versions: 8}
)

// writeFacts are what is known of the writes that took effect.
type writeFacts struct {
	Resources  table[Scope, resourceWrites]  `json:"resources"` // namespace is empty
	Scopes     table[Scope, namespaceWrites] `json:"scopes"`    // with a namespace
	Namespaces namespacesGoing               `json:"namespaces"`
	Writers    writers                       `json:"writers"`

	name []byte // scratch
}

// scopeWrites are the writes in one scope.
type scopeWrites struct {
	Changes  tally.Intervals      `json:"changes"` // see changes
	Updates  tally.Intervals      `json:"updates"` // all other writes
	Versions tally.Cells[version] `json:"versions"`
	Writers  writers              `json:"writers"`
}

// resourceWrites are the writes of one resource in all namespaces.
type resourceWrites struct {
	scopeWrites
	Deletes tally.Cells[deletes]         `json:"deletes"`
	Names   tally.Table[tally.Intervals] `json:"names"` // creates and deletes by objectName
}

// namespaceWrites are the writes of one resource in one namespace.
type namespaceWrites struct {
	scopeWrites
	Deletes *deletes `json:"deletes,omitempty"` // of all time
}

func newWriteFacts() writeFacts {
	return writeFacts{
		Resources:  newTable[Scope, resourceWrites](maxResources),
		Scopes:     newTable[Scope, namespaceWrites](maxScopes),
		Namespaces: newNamespacesGoing(maxDeletedNamespaces),
	}
}

// objectName names an object within its resource.
func objectName(namespace, name string) string { return namespace + "/" + name }

// of returns the writes of a scope, or nil if none are kept.
func (w *writeFacts) of(s Scope) *scopeWrites {
	if s.Namespace == (audit.Sym{}) {
		if r := w.Resources.get(s); r != nil {
			return &r.scopeWrites
		}
	} else if n := w.Scopes.get(s); n != nil {
		return &n.scopeWrites
	}
	return nil
}

// knows reports whether a scope is kept, or would be if it had been written.
func (w *writeFacts) knows(s Scope) bool {
	if s.Namespace != (audit.Sym{}) {
		return w.Scopes.knows(s)
	}
	return w.Resources.knows(s)
}

// observe takes in an event for which Wrote is true.
func (w *writeFacts) observe(e *audit.Event, row *row) {
	client := clientOf(e)
	w.Writers.add(client)
	if e.Subresource == subToken {
		return // the service account stays as it is
	}
	if row.resource == nil {
		row.resource = w.Resources.at(Scope{Group: e.Group, Resource: e.Resource})
	}
	if r := row.resource; r != nil {
		r.observe(e, client, roomOf(e))
		w.observeName(r, e)
		if removes(e) {
			r.Deletes.Cap = deleteCells
			r.Deletes.At(e.At).observe(e, client)
		}
	}
	if e.Namespace != (audit.Sym{}) {
		if row.scope == nil || row.namespace != e.Namespace {
			row.scope, row.namespace = w.Scopes.at(Scope{e.Group, e.Resource, e.Namespace}), e.Namespace
		}
		if n := row.scope; n != nil {
			n.observe(e, client, &scopeRoom)
			if removes(e) {
				if n.Deletes == nil {
					n.Deletes = new(deletes)
				}
				n.Deletes.observe(e, client)
			}
		}
	}
	if namespace := namespaceGoing(e); namespace != "" {
		w.Namespaces.observe(namespace, e.Began(), e.At)
	}
}

var (
	resNamespaces  = audit.Intern("namespaces")
	resLeases      = audit.Intern("leases")
	subFinalize    = audit.Intern("finalize")
	userNamespaces = audit.Intern("system:serviceaccount:kube-system:namespace-controller")
)

func roomOf(e *audit.Event) *room {
	if e.Resource == resLeases {
		return &leaseRoom
	}
	return &resourceRoom
}

// changes reports whether a write is sure to have made or removed an object. A write of a
// subresource updates the object, except for an eviction, which is a create and deletes the
// pod. A deletecollection may have changed nothing, as an update may: the namespace
// controller sends one for every resource, and it is answered 200 in any case.
func changes(e *audit.Event) bool {
	if e.Subresource != (audit.Sym{}) {
		return e.Subresource == subEviction
	}
	return e.Verb == audit.VerbCreate || e.Verb == audit.VerbDelete
}

// removes reports whether a write removes objects.
func removes(e *audit.Event) bool {
	if e.Subresource != (audit.Sym{}) {
		return e.Subresource == subEviction
	}
	return e.Verb == audit.VerbDelete || e.Verb == audit.VerbDeleteCollection
}

var (
	subEviction = audit.Intern("eviction")
	subToken    = audit.Intern("token")
)

func (w *scopeWrites) observe(e *audit.Event, client Client, room *room) {
	w.Writers.add(client)
	began := e.Began()
	if changes(e) {
		w.Changes.Cap = room.changes
		w.Changes.Add(began, e.At)
		return
	}
	w.Updates.Cap = room.updates
	w.Updates.Add(began, e.At)
	if len(e.ObjectRV) > 0 {
		if rv, err := strconv.ParseUint(NameOf(e.ObjectRV), 10, 64); err == nil {
			w.Versions.Cap = room.versions
			w.Versions.Add(began, version{rv, began})
		}
	} else if rv, ok := versionAfter(e); ok {
		w.Versions.Cap = room.versions
		w.Versions.Add(e.At, version{rv, e.At})
	}
}

// observeName keeps creates and deletes by the object's name. A name that the API server
// makes up is not in the event, but no selector has it either.
func (w *writeFacts) observeName(r *resourceWrites, e *audit.Event) {
	if !changes(e) || len(e.Name) == 0 {
		return
	}
	r.Names.Cap = maxNames
	w.name = append(append(append(w.name[:0], e.Namespace.String()...), '/'), e.Name...)
	if object := r.Names.At(NameOf(w.name)); object != nil {
		object.Cap = nameIntervals
		object.Add(e.Began(), e.At)
	}
}

func (w *writeFacts) merge(o *writeFacts) {
	w.Resources.merge(&o.Resources, (*resourceWrites).merge)
	w.Scopes.merge(&o.Scopes, (*namespaceWrites).merge)
	w.Namespaces.merge(&o.Namespaces)
	w.Writers.merge(&o.Writers)
}

func (r *resourceWrites) merge(o *resourceWrites) {
	r.scopeWrites.merge(&o.scopeWrites)
	r.Deletes.Merge(&o.Deletes)
	r.Names.Merge(&o.Names)
}

func (n *namespaceWrites) merge(o *namespaceWrites) {
	n.scopeWrites.merge(&o.scopeWrites)
	switch {
	case n.Deletes == nil:
		n.Deletes = o.Deletes
	case o.Deletes != nil:
		*n.Deletes = n.Deletes.Plus(*o.Deletes)
	}
}

func (w *scopeWrites) merge(o *scopeWrites) {
	w.Changes.Merge(&o.Changes)
	w.Updates.Merge(&o.Updates)
	w.Versions.Merge(&o.Versions)
	w.Writers.merge(&o.Writers)
}

// A version is the highest version that an update was based on, and when the first such
// update was received.
type version struct {
	RV uint64     `json:"rv"`
	At audit.Time `json:"at"`
}

// Plus returns the higher one.
func (v version) Plus(o version) version {
	if o.RV > v.RV || o.RV == v.RV && (v.At == 0 || o.At != 0 && o.At < v.At) {
		return o
	}
	return v
}
