package analysis

import (
	"cmp"
	"strings"
	"unsafe"

	"github.com/kaudit/kaudit/audit"
)

// A Key says which state an event belongs to. An analyzer sets the fields by which it
// tells states apart and leaves the others empty.
//
// Name is for names of which a log has very many, such as those of pods. It may share the
// bytes of the event (see NameOf): the shard copies it when it makes a state.
type Key struct {
	Kind        audit.Sym `json:"kind,omitzero"` // tells kinds of states apart if the analyzer has several
	User        audit.Sym `json:"user,omitzero"` // Event.Actor: whom the client acts as
	UserAgent   audit.Sym `json:"userAgent,omitzero"`
	SourceIP    audit.Sym `json:"sourceIP,omitzero"` // Event.ClientIP: the one that it can't forge
	Group       audit.Sym `json:"apiGroup,omitzero"`
	Resource    audit.Sym `json:"resource,omitzero"`
	Subresource audit.Sym `json:"subresource,omitzero"`
	Namespace   audit.Sym `json:"namespace,omitzero"`
	Selector    audit.Sym `json:"selector,omitzero"` // of a watch or list: see WatchKey
	Name        string    `json:"name,omitempty"`
}

// Compare orders keys by the text of their fields. Interned names that are the same are
// known to be so without a look at their text.
func (k Key) Compare(l Key) int {
	if c := compareNames([]audit.Sym{k.Kind, k.Group, k.Resource, k.Namespace}, []audit.Sym{l.Kind, l.Group, l.Resource, l.Namespace}); c != 0 {
		return c
	}
	if c := strings.Compare(k.Name, l.Name); c != 0 {
		return c
	}
	return compareNames(
		[]audit.Sym{k.Subresource, k.Selector, k.User, k.UserAgent, k.SourceIP},
		[]audit.Sym{l.Subresource, l.Selector, l.User, l.UserAgent, l.SourceIP})
}

// compareNames compares the texts of the first two names that differ.
func compareNames(a, b []audit.Sym) int {
	for i := range a {
		if a[i] != b[i] {
			return strings.Compare(a[i].String(), b[i].String())
		}
	}
	return 0
}

// texts returns the fields in the order in which hash reads them.
func (k Key) texts() [10]string {
	return [10]string{
		k.Kind.String(), k.Group.String(), k.Resource.String(), k.Namespace.String(), k.Name,
		k.Subresource.String(), k.Selector.String(), k.User.String(), k.UserAgent.String(), k.SourceIP.String(),
	}
}

func (k Key) compare(l Key) int { return k.Compare(l) }

// hash is a fixed-seed hash (FNV-1a, with a finalizer that spreads it over all
// bits) of the key's texts: which keys survive a cap depends on it, so it must
// be the same in every worker, process and version.
func (k Key) hash() uint64 {
	h := uint64(14695981039346656037)
	for _, s := range k.texts() {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}

// Subject returns the subject that the key names.
func (k Key) Subject() Subject {
	return Subject{
		User: k.User.String(), UserAgent: k.UserAgent.String(), SourceIP: k.SourceIP.String(),
		APIGroup: k.Group.String(), Resource: k.Resource.String(), Subresource: k.Subresource.String(),
		Namespace: k.Namespace.String(), Name: k.Name,
	}
}

// AnyResource is the Resource of a Subject that is about several.
const AnyResource = "*"

// A Subject is what a finding is about: a client, an object, a node. Fields that do not
// apply are empty.
type Subject struct {
	User        string `json:"user"` // whom the client acts as
	UserAgent   string `json:"userAgent"`
	SourceIP    string `json:"sourceIP"`
	APIGroup    string `json:"apiGroup"`  // empty is the core group, too
	Resource    string `json:"resource"`  // in the plural; AnyResource if it is about several
	Namespace   string `json:"namespace"` // empty of what has none, too
	Name        string `json:"name"`      // of the object, or the path of a request for none
	Subresource string `json:"subresource"`
	Node        string `json:"node"` // whose kubelet the client is, or that is silent
}

// Compare orders subjects by node, object and client.
func (s Subject) Compare(t Subject) int {
	return cmp.Or(
		strings.Compare(s.Node, t.Node),
		strings.Compare(s.Namespace, t.Namespace),
		strings.Compare(s.APIGroup, t.APIGroup),
		strings.Compare(s.Resource, t.Resource),
		strings.Compare(s.Name, t.Name),
		strings.Compare(s.Subresource, t.Subresource),
		strings.Compare(s.User, t.User),
		strings.Compare(s.UserAgent, t.UserAgent),
		strings.Compare(s.SourceIP, t.SourceIP),
	)
}

// Common returns the subject with only those fields that are the same in t.
func (s Subject) Common(t Subject) Subject {
	for _, field := range []struct {
		mine   *string
		theirs string
	}{
		{&s.Node, t.Node},
		{&s.Namespace, t.Namespace},
		{&s.APIGroup, t.APIGroup},
		{&s.Resource, t.Resource},
		{&s.Name, t.Name},
		{&s.Subresource, t.Subresource},
		{&s.User, t.User},
		{&s.UserAgent, t.UserAgent},
		{&s.SourceIP, t.SourceIP},
	} {
		if *field.mine != field.theirs {
			*field.mine = ""
		}
	}
	return s
}

// NameOf returns v as a string that shares its bytes. It is for Key.Name only, and valid
// no longer than the event.
func NameOf(v audit.View) string { return unsafe.String(unsafe.SliceData(v), len(v)) }
