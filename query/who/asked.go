package who

import (
	"strings"

	"github.com/kaudit/kaudit/audit"
)

var (
	nodes      = audit.Intern("nodes")
	namespaces = audit.Intern("namespaces")
	leases     = audit.Intern("leases")
	events     = audit.Intern("events")
	scale      = audit.Intern("scale")
	eviction   = audit.Intern("eviction")
)

const nodeUser = "system:node:"

func isDelete(e *audit.Event) bool {
	return e.Verb == audit.VerbDelete || e.Verb == audit.VerbDeleteCollection
}

func isChange(e *audit.Event) bool { return e.Verb == audit.VerbUpdate || e.Verb == audit.VerbPatch }

func isSession(e *audit.Event) bool {
	return e.Subresource == audit.SubExec || e.Subresource == audit.SubAttach
}

// asked reports whether an event that names the object is what is asked for. Of
// changes that may be scalings onlyScalings keeps those that are.
func (c *Collector) asked(e *audit.Event) bool {
	none := audit.Sym{}
	switch c.question.Deed {
	case "deleted":
		return e.Wrote() && (isDelete(e) && e.Subresource == none || e.Subresource == eviction && e.Verb == audit.VerbCreate)
	case "created":
		return e.Wrote() && e.Verb == audit.VerbCreate && e.Subresource == none
	case "changed":
		return e.Wrote() && isChange(e) && e.Subresource != audit.SubStatus
	case "scaled":
		return e.Wrote() && isChange(e) && (e.Subresource == scale || e.Subresource == none && e.Level >= audit.LevelRequest)
	case "evicted":
		return e.Subresource == eviction && e.Verb == audit.VerbCreate || e.Wrote() && isDelete(e) && isEvictor(e.User.String())
	case "execed":
		return isSession(e) && (e.Code < 400 || e.Code == 0)
	case "read":
		return (e.Verb == audit.VerbGet || e.Verb == audit.VerbList || e.Verb == audit.VerbWatch) && e.Code < 400 && !isSession(e) && e.Stage != audit.StagePanic
	case "denied":
		return e.Code == 401 || e.Code == 403
	}
	return false
}

// maybe reports whether an event that names no object may be what is asked
// for: it is about a collection that the object may be in, or about an object
// whose name the API server made.
func (c *Collector) maybe(e *audit.Event) bool {
	switch c.question.Deed {
	case "deleted":
		return e.Wrote() && e.Verb == audit.VerbDeleteCollection
	case "created":
		return e.Wrote() && e.Verb == audit.VerbCreate && e.Subresource == audit.Sym{}
	case "read":
		return (e.Verb == audit.VerbList || e.Verb == audit.VerbWatch) && e.Code < 400
	}
	return false
}

// isEvictor reports whether a user deletes pods off nodes that are not well.
func isEvictor(user string) bool {
	return strings.HasSuffix(user, ":node-controller") || strings.HasSuffix(user, ":taint-eviction-controller")
}
