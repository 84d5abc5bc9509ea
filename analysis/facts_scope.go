package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Scope is what a watch without selectors sees: the objects of one resource, in one
// namespace or, if Namespace is empty, in all of them.
type Scope struct {
	Group     audit.Sym `json:"apiGroup,omitzero"`
	Resource  audit.Sym `json:"resource,omitzero"`
	Namespace audit.Sym `json:"namespace,omitzero"`
}

// Scope returns the scope that the key names.
func (k Key) Scope() Scope { return Scope{k.Group, k.Resource, k.Namespace} }

// hash makes scopes of which more is asked than of others come first where not all can be
// kept: what analyzers ask of any namespace, and what every cluster has.
func (s Scope) hash() uint64 {
	h := tally.Mix(tally.Mix(tally.Hash(s.Group.String()), tally.Hash(s.Resource.String())),
		tally.Hash(s.Namespace.String()))
	switch {
	case s.Namespace == (audit.Sym{}):
		if s.builtIn() {
			return h >> 8
		}
	case s.Namespace == nsSystem, s.Group == (audit.Sym{}) && s.Resource == resPods:
		return h >> 8
	case s.Group == (audit.Sym{}) && s.Resource == resServices:
		return h >> 4
	}
	return h
}

var nsSystem = audit.Intern("kube-system")

// builtIn reports whether the resource is one of Kubernetes itself, or of its projects.
func (s Scope) builtIn() bool {
	group := s.Group.String()
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

func (s Scope) compare(o Scope) int {
	return cmp.Or(
		strings.Compare(s.Group.String(), o.Group.String()),
		strings.Compare(s.Resource.String(), o.Resource.String()),
		strings.Compare(s.Namespace.String(), o.Namespace.String()),
	)
}

// Knows reports whether the writes in the scope are known. They are not if more scopes were
// written than are kept, and it may have been one of the others.
func (f *Facts) Knows(s Scope) bool { return f.Writes.knows(s) }

// ChangesWithin returns how many successful creates and deletes in the scope lie wholly
// within [from, to], from receipt to completion. In a log with more than Facts keep, it is
// a lower bound.
func (f *Facts) ChangesWithin(s Scope, from, to audit.Time) int {
	if w := f.Writes.of(s); w != nil {
		return w.Changes.Within(from, to)
	}
	return 0
}

// UpdatesWithin is like ChangesWithin for updates and patches, including those of
// subresources, and for deletecollections. An update that changes nothing and a
// deletecollection of nothing cause no watch event, and the log does not tell these apart.
func (f *Facts) UpdatesWithin(s Scope, from, to audit.Time) int {
	if w := f.Writes.of(s); w != nil {
		return w.Updates.Within(from, to)
	}
	return 0
}

// NamedChangesWithin is like ChangesWithin for the objects of one name. It is always a
// lower bound.
func (f *Facts) NamedChangesWithin(s Scope, name string, from, to audit.Time) int {
	r := f.Writes.Resources.get(Scope{Group: s.Group, Resource: s.Resource})
	if r == nil {
		return 0
	}
	if s.Namespace != (audit.Sym{}) {
		if object := r.Names.Get(objectName(s.Namespace.String(), name)); object != nil {
			return object.Within(from, to)
		}
		return 0
	}
	n := 0
	for i := range r.Names.Rows {
		if row := &r.Names.Rows[i]; strings.HasSuffix(row.Name, objectName("", name)) {
			n += row.Value.Within(from, to)
		}
	}
	return n
}

// BeyondWithin reports whether an update of the scope, received inside [from, to], is based
// on a version above rv: the scope had moved past rv by then.
func (f *Facts) BeyondWithin(s Scope, rv uint64, from, to audit.Time) bool {
	w := f.Writes.of(s)
	if w == nil {
		return false
	}
	for step, v := range w.Versions.All() {
		if v.RV > rv && (from <= v.At && v.At <= to || from <= step.From && step.To <= to) {
			return true
		}
	}
	return false
}

// NewestWithin returns the highest version on which an update of the scope, received inside
// [from, to], is based: the scope had that version before. ok is false if there is no such
// update.
func (f *Facts) NewestWithin(s Scope, from, to audit.Time) (rv uint64, ok bool) {
	w := f.Writes.of(s)
	if w == nil {
		return 0, false
	}
	for step, v := range w.Versions.All() {
		if from <= v.At && v.At <= to || from <= step.From && step.To <= to {
			rv, ok = max(rv, v.RV), true
		}
	}
	return rv, ok
}

// WritesOf returns how many writes in the scope took effect.
func (f *Facts) WritesOf(s Scope) int {
	if w := f.Writes.of(s); w != nil {
		return w.Changes.Count() + w.Updates.Count()
	}
	return 0
}

// Writers returns the clients whose writes in the scope took effect. If there were too many
// to keep, it returns none, and all is false.
func (f *Facts) Writers(s Scope) (clients []Client, all bool) {
	w := f.Writes.of(s)
	if w == nil {
		return nil, f.Writes.knows(s)
	}
	return w.Writers.List, !w.Writers.Many
}

// AllWriters returns the clients that made any write which took effect. If there were too
// many to keep, it returns none, and all is false.
func (f *Facts) AllWriters() (clients []Client, all bool) {
	w := f.Writes.Writers
	return slices.Clone(w.List), !w.Many
}
