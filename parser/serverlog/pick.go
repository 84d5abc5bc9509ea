package serverlog

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// panicValue takes what was panicked with: panic="value", or the value in
// brackets behind its Go form, `"value" (value)`. Where the value has several
// lines, it stands on the next one (see Trace).
func (r *Reader) panicValue(rest []byte, e *audit.Event) bool {
	e.Message = nil
	if value, ok := pair(rest, "panic"); ok {
		e.Message = firstLine(value)
		return true
	}
	if len(rest) > 0 && rest[0] == '"' {
		if _, behind, ok := unquote(rest); ok {
			rest = behind
		}
	}
	if open := bytes.Index(rest, []byte(" (")); open >= 0 {
		rest = bytes.TrimSuffix(rest[open+2:], []byte(")"))
	}
	e.Message = firstLine(rest)
	return true
}

func firstLine(value []byte) audit.View {
	value, _, _ = bytes.Cut(value, []byte("\n"))
	return audit.View(value)
}

// pair returns the value of a key.
func pair(pairs []byte, name string) (value []byte, found bool) {
	for {
		key, value, rest, ok := nextPair(pairs)
		if !ok {
			return nil, false
		}
		if string(key) == name {
			return value, true
		}
		pairs = rest
	}
}

// whichRequest takes the request that a line is about: method="GET" URI="/x"
// auditID="...", or ` on GET /x`, or `GET "/x"`.
func (r *Reader) whichRequest(rest []byte, e *audit.Event) bool {
	var method []byte
	for pairs := rest; ; {
		key, value, behind, ok := nextPair(pairs)
		if !ok {
			break
		}
		switch string(key) {
		case "method":
			method = value
		case "URI":
			e.URI = audit.View(value)
		case "auditID", "audit-ID":
			e.AuditID = audit.View(value)
		}
		pairs = behind
	}
	if len(e.URI) == 0 {
		words := bytes.Fields(bytes.TrimPrefix(rest, []byte(" on ")))
		if len(words) < 2 {
			return false
		}
		method, e.URI = words[0], audit.View(bytes.Trim(words[1], `"`))
	}
	if len(e.URI) == 0 || e.URI[0] != '/' {
		return false
	}
	r.target(method, e)
	return true
}

// watched takes the resource of a watch that was closed: "Forcing
// pods.example.com watcher close". In 1.21 the line names its Go type, and the
// resource in the key, "Forcing *discovery.EndpointSlice watcher close due to
// unresponsiveness: key: "/endpointslices/shop"". Before, it named the type of the
// event that could not be sent, and is taken without a resource.
func (r *Reader) watched(rest []byte, e *audit.Event) bool {
	what, behind, _ := bytes.Cut(rest, []byte(" "))
	if string(what) == "watcher" {
		return true
	}
	e.Verb = audit.VerbWatch
	resource, group, _ := bytes.Cut(what, []byte("."))
	if goType, ok := bytes.CutPrefix(what, []byte("*")); ok {
		pkg, _, _ := bytes.Cut(goType, []byte("."))
		resource, group = keyed(behind), []byte(groupOf[string(pkg)])
		if first, second, ok := bytes.Cut(resource, []byte("/")); ok {
			resource, group = second, first
		}
	}
	e.Resource, e.Group = r.Syms.Bytes(resource), r.Syms.Bytes(group)
	return true
}

// keyed returns the resource of a key of the watch cache: "/pods/shop", or of a
// custom one with its group, "/example.com/widgets/shop".
func keyed(text []byte) []byte {
	_, key, _ := bytes.Cut(text, []byte(`key: "/`))
	key, _, _ = bytes.Cut(key, []byte(`"`))
	parts := bytes.SplitN(key, []byte("/"), 3)
	if len(parts) > 1 && bytes.IndexByte(parts[0], '.') > 0 {
		return key[:len(parts[0])+1+len(parts[1])]
	}
	return parts[0]
}

// groupOf are the API groups of Kubernetes' internal types, by their package.
// The core group's, which is core, has no name.
var groupOf = map[string]string{
	"admissionregistration": "admissionregistration.k8s.io", "apps": "apps", "autoscaling": "autoscaling", "batch": "batch",
	"apiextensions": "apiextensions.k8s.io", "apiregistration": "apiregistration.k8s.io", "certificates": "certificates.k8s.io",
	"coordination": "coordination.k8s.io", "discovery": "discovery.k8s.io", "flowcontrol": "flowcontrol.apiserver.k8s.io",
	"networking": "networking.k8s.io", "node": "node.k8s.io", "policy": "policy", "rbac": "rbac.authorization.k8s.io",
	"scheduling": "scheduling.k8s.io", "storage": "storage.k8s.io",
}

// reflected takes the type that a reflector watched: "watch of *v1.Pod", or
// type="*v1.Pod".
func (r *Reader) reflected(rest []byte, e *audit.Event) bool {
	e.Verb = audit.VerbWatch
	if value, ok := pair(rest, "type"); ok {
		e.Name = audit.View(value)
		return true
	}
	_, of, ok := bytes.Cut(rest, []byte("watch of "))
	if ok {
		what, _, _ := bytes.Cut(of, []byte(" "))
		e.Name = audit.View(what)
	}
	return ok
}

// node takes the name of the node that a kubelet speaks of: error getting node
// "n1", for node "n1", or the path of the request that had no answer.
func (r *Reader) node(rest []byte, e *audit.Event) bool {
	text := rest
	if value, ok := pair(rest, "err"); ok {
		text = value
	}
	for _, begin := range []string{`error getting node "`, `for node "`, "/kube-node-lease/leases/", "/api/v1/nodes/"} {
		if _, behind, ok := bytes.Cut(text, []byte(begin)); ok {
			if end := bytes.IndexAny(behind, `"?/: `); end > 0 {
				e.Name = audit.View(behind[:end])
				return true
			}
		}
	}
	return false
}
