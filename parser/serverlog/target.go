package serverlog

import (
	"bytes"
	"net/url"

	"github.com/kaudit/kaudit/audit"
)

// verbConnect is the verb of a request whose HTTP method httplog does not
// tell: exec and the like are a create over SPDY and a get over a WebSocket.
var verbConnect = audit.Intern("connect")

// methods are the verbs of resources by HTTP method, or by what httplog has
// made of it since 1.20. What is missing is a get, or depends on the target.
var methods = map[string]audit.Sym{
	"POST": audit.VerbCreate, "PUT": audit.VerbUpdate, "PATCH": audit.VerbPatch, "APPLY": audit.VerbPatch,
	"CREATE": audit.VerbCreate, "UPDATE": audit.VerbUpdate, "DELETECOLLECTION": audit.VerbDeleteCollection,
	"DELETE": audit.VerbDelete, "LIST": audit.VerbList, "WATCH": audit.VerbWatch, "WATCHLIST": audit.VerbWatch,
	"CONNECT": verbConnect, "GET": audit.VerbGet, "HEAD": audit.VerbGet,
}

// target sets the verb and the object of a request from its method and URI, as
// the API server's own resolver does (apiserver pkg/endpoints/request,
// RequestInfoFactory with the prefixes api and apis).
func (r *Reader) target(method []byte, e *audit.Event) {
	path, _, _ := bytes.Cut(e.URI, []byte("?"))
	parts := r.split(path)
	e.Verb = r.Syms.Bytes(bytes.ToLower(method))
	if len(parts) < 3 || string(parts[0]) != "api" && string(parts[0]) != "apis" {
		return // of no resource
	}
	grouped := string(parts[0]) == "apis"
	parts = parts[1:]
	if grouped {
		if len(parts) < 3 {
			return
		}
		e.Group = r.Syms.Bytes(parts[0])
		parts = parts[1:]
	}
	e.Version = r.Syms.Bytes(parts[0])
	e.Verb = methods[string(method)]
	r.object(parts[1:], e)
	settleVerb(e)
	if e.Verb == verbConnect && e.Subresource == audit.SubLog {
		e.Verb = audit.VerbGet // httplog calls it so, but a log can only be read
	}
}

// object sets what the parts behind the version name.
func (r *Reader) object(parts [][]byte, e *audit.Event) {
	proxied := string(parts[0]) == "proxy"
	if (proxied || string(parts[0]) == "watch") && len(parts) > 1 {
		e.Verb = r.Syms.Bytes(parts[0]) // the verb stood in the path once
		parts = parts[1:]
	}
	if string(parts[0]) == "namespaces" && len(parts) > 1 {
		e.Namespace = r.Syms.Bytes(parts[1])
		if len(parts) > 2 && string(parts[2]) != "status" && string(parts[2]) != "finalize" {
			parts = parts[2:]
		}
	}
	e.Resource = r.Syms.Bytes(parts[0])
	if len(parts) > 1 {
		e.Name = audit.View(parts[1])
	}
	if len(parts) > 2 && !proxied {
		e.Subresource = r.Syms.Bytes(parts[2])
	}
}

// settleVerb tells a get from a list or watch, and a delete from that of a
// collection.
func settleVerb(e *audit.Event) {
	if len(e.Name) > 0 {
		return
	}
	switch e.Verb {
	case audit.VerbGet:
		e.Verb = audit.VerbList
		if watch := e.Param("watch"); watch != nil && string(watch) != "false" && string(watch) != "0" {
			e.Verb = audit.VerbWatch
		}
	case audit.VerbDelete:
		e.Verb = audit.VerbDeleteCollection
	}
	if e.Verb == audit.VerbList || e.Verb == audit.VerbWatch {
		e.Name = selectedName(e)
	}
}

// selectedName returns the name that a field selector asks for, or nil.
func selectedName(e *audit.Event) audit.View {
	for term := range bytes.SplitSeq(e.Param("fieldSelector"), []byte(",")) {
		if name, ok := bytes.CutPrefix(term, []byte("metadata.name=")); ok {
			return audit.View(bytes.TrimPrefix(name, []byte("=")))
		}
	}
	return nil
}

// split returns the parts of a path, valid until the next call.
func (r *Reader) split(path []byte) [][]byte {
	if bytes.IndexByte(path, '%') >= 0 {
		if plain, err := url.PathUnescape(string(path)); err == nil {
			path = []byte(plain)
		}
	}
	r.path = r.path[:0]
	if path = bytes.Trim(path, "/"); len(path) == 0 {
		return nil
	}
	for part := range bytes.SplitSeq(path, []byte("/")) {
		r.path = append(r.path, part)
	}
	return r.path
}
