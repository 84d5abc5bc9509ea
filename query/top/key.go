package top

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Key is what requests are counted by.
type Key struct {
	Name, Doc string
	late      bool  // it is known only when the request has ended
	clock     clock // of a key that is a time
	value     func(b []byte, e *audit.Event) []byte
}

// annotationKey begins the keys that count by an annotation's value.
const annotationKey = "annotation:"

// Keys returns all keys except annotation:NAME.
func Keys() []Key {
	sym := func(name, doc string, field func(*audit.Event) audit.Sym) Key {
		return Key{Name: name, Doc: doc, value: func(b []byte, e *audit.Event) []byte { return append(b, field(e).String()...) }}
	}
	late := func(k Key) Key { k.late = true; return k }
	return []Key{
		sym("verb", "get, list, delete, ...", func(e *audit.Event) audit.Sym { return e.Verb }),
		sym("user", "who sent the request", func(e *audit.Event) audit.Sym { return e.User }),
		late(sym("as", "whom the sender impersonated", func(e *audit.Event) audit.Sym { return e.As })),
		sym("user-agent", "what the client calls itself", func(e *audit.Event) audit.Sym { return e.UserAgent }),
		{Name: "client", Doc: "first word of the user agent: kubectl/v1.33.0", value: client},
		sym("source-ip", "the last address: a client can forge those before it", (*audit.Event).ClientIP),
		late(Key{Name: "code", Doc: "of the response", value: code}),
		late(sym("reason", "of the response", func(e *audit.Event) audit.Sym { return e.Reason })),
		{Name: "resource", Doc: "with group and subresource: deployments.apps/scale", value: resource},
		sym("group", "API group", func(e *audit.Event) audit.Sym { return e.Group }),
		sym("version", "API version", func(e *audit.Event) audit.Sym { return e.Version }),
		sym("subresource", "status, exec, ...", func(e *audit.Event) audit.Sym { return e.Subresource }),
		sym("namespace", "of the object", func(e *audit.Event) audit.Sym { return e.Namespace }),
		late(Key{Name: "name", Doc: "of the object", value: func(b []byte, e *audit.Event) []byte { return append(b, e.Name...) }}),
		late(Key{Name: "object", Doc: "namespace/resource/name", value: object}),
		{Name: "uri", Doc: "its shape: names and ids are replaced", value: shape},
		{Name: "node", Doc: "of the kubelet that sent the request, or that it is about", value: node},
		{Name: "minute", Doc: "in which the request was received", clock: minutes, value: minutes.value},
		{Name: "hour", Doc: "in which the request was received", clock: hours, value: hours.value},
		sym("level", "of the audit policy", func(e *audit.Event) audit.Sym { return audit.Intern(e.Level.String()) }),
		late(Key{Name: "scope", Doc: "cluster, namespace or object", value: scope}),
		{Name: "rv", Doc: "resourceVersion requested: none, 0 or set", value: version},
		{Name: "limit", Doc: "limit requested: none or the number", value: limit},
		{Name: "log", Doc: "the API server's log", value: func(b []byte, e *audit.Event) []byte { return append(b, e.Log...) }},
	}
}

// ParseKeys reads the keys' names. An error is a *query.ValueError.
func ParseKeys(names []string) ([]Key, error) {
	var keys []Key
	known := Keys()
	for _, name := range names {
		if annotation, ok := strings.CutPrefix(name, annotationKey); ok && annotation != "" {
			keys = append(keys, byAnnotation(annotation))
			continue
		}
		i := slices.IndexFunc(known, func(k Key) bool { return k.Name == name })
		if i < 0 {
			var all []string
			for _, k := range known {
				all = append(all, k.Name)
			}
			return nil, &query.ValueError{
				Flag: "key", Value: name, Err: errors.New("there is no such key"), Word: name, Known: all,
				Advice: "keys are " + strings.Join(all, ", ") + " and " + annotationKey + "NAME",
			}
		}
		keys = append(keys, known[i])
	}
	return keys, nil
}

func byAnnotation(name string) Key {
	sym := audit.Intern(name)
	return Key{Name: annotationKey + name, late: true, value: func(b []byte, e *audit.Event) []byte {
		return append(b, e.Annotation(sym)...)
	}}
}

func client(b []byte, e *audit.Event) []byte {
	agent, _, _ := strings.Cut(e.UserAgent.String(), " ")
	return append(b, agent...)
}

func code(b []byte, e *audit.Event) []byte {
	switch {
	case e.Stage == audit.StagePanic:
		return append(b, "panic"...)
	case e.Code == 0:
		return b
	}
	return strconv.AppendInt(b, int64(e.Code), 10)
}

func resource(b []byte, e *audit.Event) []byte {
	b = append(b, e.Resource.String()...)
	if e.Group != (audit.Sym{}) {
		b = append(append(b, '.'), e.Group.String()...)
	}
	if e.Subresource != (audit.Sym{}) {
		b = append(append(b, '/'), e.Subresource.String()...)
	}
	return b
}

func object(b []byte, e *audit.Event) []byte {
	if e.Resource == (audit.Sym{}) {
		path, _, _ := bytes.Cut(e.URI, []byte("?"))
		return append(b, path...)
	}
	if e.Namespace != (audit.Sym{}) {
		b = append(append(b, e.Namespace.String()...), '/')
	}
	b = append(b, e.Resource.String()...)
	if len(e.Name) > 0 {
		b = append(append(b, '/'), e.Name...)
	}
	return b
}

func scope(b []byte, e *audit.Event) []byte {
	switch {
	case e.Resource == (audit.Sym{}):
		return b
	case len(e.Name) > 0:
		return append(b, "object"...)
	case e.Namespace != (audit.Sym{}):
		return append(b, "namespace"...)
	}
	return append(b, "cluster"...)
}

func version(b []byte, e *audit.Event) []byte {
	switch rv := e.Param("resourceVersion"); string(rv) {
	case "":
		return append(b, "none"...)
	case "0":
		return append(b, '0')
	}
	return append(b, "set"...)
}

func limit(b []byte, e *audit.Event) []byte {
	if n := e.Param("limit"); len(n) > 0 && string(n) != "0" {
		return append(b, n...)
	}
	return append(b, "none"...)
}

// node names the node whose kubelet sent the request, or whose Node or Lease
// it is for.
func node(b []byte, e *audit.Event) []byte {
	if name, ok := strings.CutPrefix(e.User.String(), "system:node:"); ok {
		return append(b, name...)
	}
	if res := e.Resource.String(); res == "nodes" || res == "leases" && e.Namespace.String() == "kube-node-lease" {
		return append(b, e.Name...)
	}
	return b
}
