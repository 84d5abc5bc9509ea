package analysis

import (
	"cmp"
	"strings"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Scope is what a watch without selectors sees: the objects of one resource,
// in one namespace or, if that is empty, in all of them.
type Scope struct {
	Group     audit.Sym `json:"apiGroup,omitzero"`
	Resource  audit.Sym `json:"resource,omitzero"`
	Namespace audit.Sym `json:"namespace,omitzero"`
}

// Scope returns the scope that the key names.
func (k Key) Scope() Scope { return Scope{k.Group, k.Resource, k.Namespace} }

func (s Scope) hash() uint64 {
	return tally.Mix(tally.Mix(tally.Hash(s.Group.String()), tally.Hash(s.Resource.String())),
		tally.Hash(s.Namespace.String()))
}

func (s Scope) compare(o Scope) int {
	return cmp.Or(
		strings.Compare(s.Group.String(), o.Group.String()),
		strings.Compare(s.Resource.String(), o.Resource.String()),
		strings.Compare(s.Namespace.String(), o.Namespace.String()),
	)
}

// A Write is a change that took effect, with who made it.
type Write struct {
	Received audit.Time
	At       audit.Time // when it was complete
	Verb     string
	Name     string // of the object; empty for a deletecollection
	Client   Client
	Ref      audit.Ref
}

// ChangesWithin returns how many creates and deletes of the scope lie wholly
// inside [from, to], from receipt to completion: at least so many, in a log
// with more than Facts keep.
func (f *Facts) ChangesWithin(s Scope, from, to audit.Time) int {
	if w := f.Writes.of(s); w != nil {
		return w.Changes.Within(from, to)
	}
	return 0
}

// UpdatesWithin returns how many updates and patches of the scope, of its
// subresources too, and deletecollections lie wholly inside [from, to], as
// ChangesWithin does. An update that changes nothing and a deletecollection of
// nothing make no event in a watch, and the log does not tell.
func (f *Facts) UpdatesWithin(s Scope, from, to audit.Time) int {
	if w := f.Writes.of(s); w != nil {
		return w.Updates.Within(from, to)
	}
	return 0
}

// NamedChangesWithin returns how many creates and deletes of one object lie
// wholly inside [from, to]: at least so many.
func (f *Facts) NamedChangesWithin(s Scope, name string, from, to audit.Time) int {
	r := f.Writes.Resources.get(Scope{Group: s.Group, Resource: s.Resource})
	if r == nil {
		return 0
	}
	if object := r.Names.Get(objectName(s.Namespace.String(), name)); object != nil {
		return object.Within(from, to)
	}
	return 0
}

// BeyondWithin reports whether an update of the scope that was received inside
// [from, to] names, as the version it is based on, one above rv: by then the
// scope had moved past rv.
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

// LastDelete returns the last delete of the scope that was complete at or
// before t; in a log with many deletes, one of the last.
func (f *Facts) LastDelete(s Scope, t audit.Time) (Write, bool) {
	w := f.Writes.of(s)
	if w == nil {
		return Write{}, false
	}
	var last *lateWrite
	for _, d := range w.Deletes.All() {
		switch {
		case d.Last.Late.Time <= t:
			last = &d.Last
		case d.First.Late.Time <= t:
			last = &d.First
		}
	}
	if last == nil {
		return Write{}, false
	}
	return last.write(), true
}

// WritesOf returns how many writes of the scope took effect.
func (f *Facts) WritesOf(s Scope) int {
	if w := f.Writes.of(s); w != nil {
		return w.Changes.Count() + w.Updates.Count()
	}
	return 0
}

// Writers returns the clients whose writes of the scope took effect; all is
// false if there were too many to tell, and none are returned.
func (f *Facts) Writers(s Scope) (clients []Client, all bool) {
	w := f.Writes.of(s)
	if w == nil {
		return nil, f.Writes.exact(s)
	}
	return w.Writers.List, !w.Writers.Many
}

// SoleWriter returns the client that made every write in the log that took
// effect. ok is false if there was none or several.
func (f *Facts) SoleWriter() (c Client, ok bool) {
	if w := f.Writes.Writers; len(w.List) == 1 {
		return w.List[0], true
	}
	return Client{}, false
}

// OnlyWriter reports whether no other client than c made a write that took
// effect: c alone or nobody. Such a log may be an excerpt.
func (f *Facts) OnlyWriter(c Client) bool {
	w := f.Writes.Writers
	return !w.Many && (len(w.List) == 0 || len(w.List) == 1 && w.List[0] == c)
}

// NamespaceDeleted returns the deletions of the namespace that were accepted,
// each from receipt to answer; the namespace's objects go after that.
func (f *Facts) NamespaceDeleted(ns string) []tally.Interval {
	if d := f.Writes.Namespaces.Get(ns); d != nil {
		return d.Pairs
	}
	return nil
}
