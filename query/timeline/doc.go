// Package timeline tells what happened to an object, to a node, or by a user,
// in order of time: what "kaudit timeline" prints.
//
//	events -> a Subject's Pick -> in order of time -> Teller.Add -> Timeline
package timeline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Subject is what a timeline is about. The zero Subject is all that the
// filter beside it chooses.
type Subject struct {
	Resource  string // the plural; "" if it is no object
	APIGroup  string // "" is any
	Namespace string // "" is any
	Name      string
	Node      string // or a node, and what its kubelet does
}

// An Entry is an event that belongs to a timeline.
type Entry struct {
	Record *query.Record
	Body   json.RawMessage // what was sent, of a change
	After  json.RawMessage // the object after a change, where the log has it
}

// Pick returns what a timeline needs of an event, if it belongs to it.
func (s *Subject) Pick(e *audit.Event) (Entry, bool) {
	if !tells(e) || !s.belongs(e) {
		return Entry{}, false
	}
	entry := Entry{Record: query.NewRecord(e)}
	if e.Level >= audit.LevelRequest && e.IsWrite() && e.Code < 400 {
		var bodies struct {
			Request  json.RawMessage `json:"requestObject"`
			Response json.RawMessage `json:"responseObject"`
		}
		if json.Unmarshal(e.Raw, &bodies) == nil {
			entry.Body, entry.After = bodies.Request, bodies.Response
		}
	}
	return entry, true
}

// tells reports whether the event is the end of a request, or the beginning of
// a session: of those both matter. A session that is refused has no beginning,
// although it has the stage.
func tells(e *audit.Event) bool {
	if e.Final() {
		return true
	}
	session := e.Subresource == audit.SubExec || e.Subresource == audit.SubAttach || e.Subresource == audit.SubPortForward || e.Code == 101
	return e.Stage == audit.StageResponseStarted && (session && e.Code < 400 || e.Code == 401 && e.User == audit.Sym{})
}

// A relative is a kind of objects that belong to the story of another one:
// those whose names are its name and this many parts more, none of which has a
// dash. A deployment "web" has the pods "web-5d4f7-x2x4z", and not "web-0".
type relative struct {
	resource string
	parts    int
}

var relatives = map[string][]relative{
	"deployments":  {{"replicasets", 1}, {"pods", 2}},
	"replicasets":  {{"pods", 1}},
	"statefulsets": {{"pods", 1}},
	"daemonsets":   {{"pods", 1}},
	"jobs":         {{"pods", 1}},
	"cronjobs":     {{"jobs", 1}, {"pods", 2}},
	"services":     {{"endpoints", 0}, {"endpointslices", 1}},
	"endpoints":    {{"services", 0}, {"endpointslices", 1}},
}

// belongs reports whether the event is about the subject, or a write to what
// belongs to it.
func (s *Subject) belongs(e *audit.Event) bool {
	switch {
	case s.Node != "":
		return s.onNode(e)
	case s.Resource == "":
		return true
	}
	resource := e.Resource.String()
	if resource == "namespaces" && s.Resource != "namespaces" {
		return e.IsWrite() && s.Namespace != "" && string(e.Name) == s.Namespace
	}
	if s.Namespace != "" && e.Namespace.String() != s.Namespace {
		return false
	}
	if resource == s.Resource {
		return string(e.Name) == s.Name && (s.APIGroup == "" || s.APIGroup == e.Group.String())
	}
	return e.IsWrite() && slices.ContainsFunc(relatives[s.Resource], func(r relative) bool {
		rest, ok := strings.CutPrefix(string(e.Name), s.Name)
		return ok && r.resource == resource && strings.Count(rest, "-") == r.parts && (rest == "" || rest[0] == '-')
	})
}

// onNode reports whether the event is a kubelet's, or about its Node or Lease.
func (s *Subject) onNode(e *audit.Event) bool {
	if node, ok := strings.CutPrefix(e.User.String(), "system:node:"); ok && node == s.Node {
		return true
	}
	resource := e.Resource.String()
	return string(e.Name) == s.Node && (resource == "nodes" || resource == "leases" && e.Namespace.String() == "kube-node-lease")
}
