package analysis

import (
	"bytes"
	"net/url"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// maxSelector is how many bytes of a selector tell scopes apart. The client writes it, and
// keys are kept, so there must be a bound.
const maxSelector = 512

// WatchKey returns the key of a list's or watch's client and scope: who asks,
// for which resource, in which namespace, and selected by what. A selector
// that names one object is that object's Name; any other is the Selector, as
// it stands in the query. Like every Key it may share the event's bytes.
func WatchKey(e *audit.Event) Key {
	key := Key{
		User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(),
		Group: e.Group, Resource: e.Resource, Namespace: e.Namespace,
	}
	key.Name, key.Selector = selected(e)
	return key
}

// selected returns the name of the object that a list or watch asks for, or its selector.
func selected(e *audit.Event) (name string, selector audit.Sym) {
	asked := e.Asked()
	switch fields, labels := asked.Fields, asked.Labels; {
	case len(fields) == 0 && len(labels) == 0:
		return NameOf(e.Name), audit.Sym{}
	case len(labels) == 0:
		if one, ok := nameIn(fields); ok {
			return NameOf(one), audit.Sym{}
		}
		return "", internSelector(fields)
	case len(fields) == 0:
		return "", internSelector(labels)
	default:
		return "", internSelector(slices.Concat(fields, []byte("&"), labels))
	}
}

// internSelector interns a selector. One that was interned before is not copied.
func internSelector(text []byte) audit.Sym {
	return audit.Intern(NameOf(text[:min(len(text), maxSelector)]))
}

// nameIn returns the name that a field selector asks for, if it asks for nothing else. One
// with escapes is rare, and treated as any other selector.
func nameIn(fields []byte) ([]byte, bool) {
	name, ok := bytes.CutPrefix(fields, []byte("metadata.name"))
	if !ok {
		return nil, false
	}
	name, ok = cutEquals(name)
	if !ok {
		return nil, false
	}
	name, _ = cutEquals(name) // "==" is "="
	return name, len(name) > 0 && !bytes.ContainsAny(name, "%,=+!")
}

// cutEquals cuts an equals sign, plain or escaped, off the beginning.
func cutEquals(s []byte) ([]byte, bool) {
	for _, equals := range []string{"%3D", "%3d", "="} {
		if rest, ok := bytes.CutPrefix(s, []byte(equals)); ok {
			return rest, true
		}
	}
	return s, false
}

// ScopeText names what the key's watch sees, for a title: "pods in namespace
// shop with selector app=web".
func (k *Key) ScopeText() string {
	text := k.Resource.String()
	if k.Group != (audit.Sym{}) {
		text += "." + k.Group.String()
	}
	if k.Name != "" {
		text += " named " + k.Name
	}
	if k.Namespace != (audit.Sym{}) {
		text += " in namespace " + k.Namespace.String()
	}
	if k.Selector != (audit.Sym{}) {
		selector, err := url.QueryUnescape(k.Selector.String())
		if err != nil {
			selector = k.Selector.String()
		}
		text += " with selector " + selector
	}
	return Plain(text)
}
