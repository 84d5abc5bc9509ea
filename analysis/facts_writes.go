package analysis

import (
	"bytes"
	"strconv"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of writes. A resource as a whole has more room than one
// namespace of it, since most watches see all namespaces; a cluster has some
// hundred resources, of which some twenty are busy.
const (
	maxResources         = 256
	resourceIntervals    = 1024 // 16 KiB while exact, then 48 KiB
	maxScopes            = 512
	scopeIntervals       = 128 // 2 KiB while exact, then 6 KiB
	maxNames             = 256 // objects of one resource whose changes are known by name
	nameIntervals        = 8
	maxDeletedNamespaces = 256
	deleteCells          = 32
	versionCells         = 128
)

// writeFacts are what is known of the writes that took effect.
type writeFacts struct {
	Resources  table[Scope, resourceWrites] `json:"resources"` // namespace is empty
	Scopes     table[Scope, scopeWrites]    `json:"scopes"`    // with a namespace
	Namespaces tally.Table[tally.Intervals] `json:"namespaces"`
	Writers    writers                      `json:"writers"`
}

// scopeWrites are the writes in one scope.
type scopeWrites struct {
	Changes  tally.Intervals      `json:"changes"` // see changes
	Updates  tally.Intervals      `json:"updates"` // all other writes
	Deletes  tally.Cells[deletes] `json:"deletes"`
	Versions tally.Cells[version] `json:"versions"`
	Writers  writers              `json:"writers"`
}

// resourceWrites are the writes of one resource in all namespaces.
type resourceWrites struct {
	scopeWrites
	Names tally.Table[tally.Intervals] `json:"names"` // creates and deletes by objectName
}

func newWriteFacts() writeFacts {
	return writeFacts{
		Resources:  newTable[Scope, resourceWrites](maxResources),
		Scopes:     newTable[Scope, scopeWrites](maxScopes),
		Namespaces: tally.Table[tally.Intervals]{Cap: maxDeletedNamespaces},
	}
}

// objectName names an object within its resource.
func objectName(namespace, name string) string { return namespace + "/" + name }

func (w *writeFacts) of(s Scope) *scopeWrites {
	if s.Namespace != (audit.Sym{}) {
		return w.Scopes.get(s)
	}
	if r := w.Resources.get(s); r != nil {
		return &r.scopeWrites
	}
	return nil
}

func (w *writeFacts) exact(s Scope) bool {
	if s.Namespace != (audit.Sym{}) {
		return w.Scopes.exact()
	}
	return w.Resources.exact()
}

// observe takes in an event that Wrote.
func (w *writeFacts) observe(e *audit.Event) {
	client := ClientOf(e)
	w.Writers.add(client)
	if e.Subresource == subToken {
		return // the service account stays as it is
	}
	if r := w.Resources.at(Scope{Group: e.Group, Resource: e.Resource}); r != nil {
		r.observe(e, client, resourceIntervals)
		r.observeName(e)
	}
	if e.Namespace != (audit.Sym{}) {
		if s := w.Scopes.at(Scope{e.Group, e.Resource, e.Namespace}); s != nil {
			s.observe(e, client, scopeIntervals)
		}
	}
	if e.Verb == audit.VerbDelete && e.Resource == resNamespaces && e.Subresource == (audit.Sym{}) {
		if d := w.Namespaces.At(NameOf(e.Name)); d != nil {
			d.Cap = nameIntervals
			d.Add(e.Began(), e.At)
		}
	}
}

var resNamespaces = audit.Intern("namespaces")

// changes reports whether a write makes or removes objects. One of a
// subresource updates its object: a pod's eviction is a create, and deletes
// the pod, but a binding only sets a field. A deletecollection is answered 200
// where there is nothing to delete too: the namespace controller sends one for
// every resource, so it may have changed nothing, as an update may.
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

func (w *scopeWrites) observe(e *audit.Event, client Client, size int) {
	w.Writers.add(client)
	if changes(e) {
		w.Changes.Cap = size
		w.Changes.Add(e.Began(), e.At)
	} else {
		w.Updates.Cap = size
		w.Updates.Add(e.Began(), e.At)
	}
	if removes(e) {
		w.Deletes.Cap = deleteCells
		w.Deletes.At(e.At).observe(e, client)
	}
	if len(e.ObjectRV) > 0 && !changes(e) {
		if rv, err := strconv.ParseUint(NameOf(e.ObjectRV), 10, 64); err == nil {
			w.Versions.Cap = versionCells
			w.Versions.Add(e.Began(), version{rv, e.Began()})
		}
	}
}

// observeName keeps by name what is created and deleted. Names that the API
// server makes up are in no selector, and not in the log.
func (r *resourceWrites) observeName(e *audit.Event) {
	if !changes(e) || len(e.Name) == 0 {
		return
	}
	r.Names.Cap = maxNames
	var room [256]byte
	name := append(append(append(room[:0], e.Namespace.String()...), '/'), e.Name...)
	if object := r.Names.At(NameOf(name)); object != nil {
		object.Cap = nameIntervals
		object.Add(e.Began(), e.At)
	}
}

func (w *writeFacts) merge(o *writeFacts) {
	w.Resources.merge(&o.Resources, func(mine, theirs *resourceWrites) {
		mine.merge(&theirs.scopeWrites)
		mine.Names.Merge(&theirs.Names)
	})
	w.Scopes.merge(&o.Scopes, (*scopeWrites).merge)
	w.Namespaces.Merge(&o.Namespaces)
	w.Writers.merge(&o.Writers)
}

func (w *scopeWrites) merge(o *scopeWrites) {
	w.Changes.Merge(&o.Changes)
	w.Updates.Merge(&o.Updates)
	w.Deletes.Merge(&o.Deletes)
	w.Versions.Merge(&o.Versions)
	w.Writers.merge(&o.Writers)
}

// version is the highest version that an update named, and when the first
// such was received.
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

// deletes are the first and the last delete of a step.
type deletes struct {
	First lateWrite `json:"first"`
	Last  lateWrite `json:"last"`
}

// lateWrite is what a Write is made of.
type lateWrite struct {
	Late   tally.Late `json:"late"`
	Client Client     `json:"client"`
}

func (l *lateWrite) empty() bool { return l.Late.Time == 0 }

func (l *lateWrite) set(e *audit.Event, c Client) {
	l.Late.Set(e)
	l.Client = c
}

func (l *lateWrite) write() Write {
	ref := l.Late.Ref()
	return Write{
		Received: l.Late.Received, At: l.Late.Time, Verb: l.Late.Verb,
		Name: string(bytes.Clone(l.Late.Name)), Client: l.Client, Ref: ref,
	}
}

func (d *deletes) observe(e *audit.Event, c Client) {
	if d.First.empty() || d.First.Late.CompareEvent(e) > 0 {
		d.First.set(e, c)
	}
	if d.Last.empty() || d.Last.Late.CompareEvent(e) < 0 {
		d.Last.set(e, c)
	}
}

// Plus returns the first and the last of both.
func (d deletes) Plus(o deletes) deletes {
	switch {
	case d.First.empty():
		return o
	case o.First.empty():
		return d
	}
	if o.First.Late.Compare(&d.First.Late) < 0 {
		d.First = o.First
	}
	if o.Last.Late.Compare(&d.Last.Late) > 0 {
		d.Last = o.Last
	}
	return d
}
