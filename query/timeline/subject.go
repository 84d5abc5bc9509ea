package timeline

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Subject is what a timeline is about: an object, a node, what a client does, or
// a combination. A field that is not set matches anything.
type Subject struct {
	Resource    string // the plural
	APIGroup    string // "" is any, unless Exact is set
	Exact       bool   // APIGroup must match even if it is ""
	Namespace   string
	Name        string // if set, other objects that belong to it are included; see relatives
	Subresource string

	Node  string          // a node: what its kubelet does, and writes to its Node and Lease
	Nodes map[string]bool // the same for several nodes, which share lines

	User, UserAgent, SourceIP string // of the client; User is the impersonated user, if there is one

	Writes  bool // only writes
	Watches bool // only lists and watches
	Clients bool // there may be several clients, which share lines
}

// A fold says what repeats on one line need not have in common.
type fold struct {
	names   bool // the object's name
	kinds   bool // the object's kind
	clients bool // the client
	version bool // the version that a watch starts from
	nodes   bool // which kubelet the client is
}

// fold returns the fold of the subject: repeats may differ in what the subject does
// not name, since there may be many of them.
func (s *Subject) fold() fold {
	switch {
	case s.Name != "", s.Node != "", s.everything() && !s.Clients:
		return fold{}
	case s.Nodes != nil:
		return fold{names: true, version: true, nodes: true}
	}
	return fold{
		names: true, kinds: s.Watches && s.Resource == "",
		clients: s.Clients, version: s.Clients && s.User == "", nodes: s.Writes,
	}
}

// everything reports whether all events belong to the subject.
func (s *Subject) everything() bool {
	return s.Resource+s.Namespace+s.Name+s.Subresource+s.Node+s.User+s.UserAgent+s.SourceIP == "" && s.Nodes == nil
}

// A relative is a kind of objects that belong to an object of another kind: those
// whose names are its name and this many more parts, each behind a dash. To a
// deployment "web" belongs the pod "web-5d4f7-x2x4z", but not "web-0".
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

// belongs reports whether the event is about the subject, or is a write to an object
// that belongs to it.
func (s *Subject) belongs(e *audit.Event) bool {
	resource := e.Resource.String()
	switch {
	case s.Node != "" || s.Nodes != nil:
		return s.onNode(e)
	case !s.byClient(e) || s.Writes && !e.Wrote() || s.Watches && e.Verb != audit.VerbWatch && e.Verb != audit.VerbList:
		return false
	case s.Name == "":
		return s.ofKind(e)
	case resource == "namespaces" && s.Resource != "namespaces":
		return e.IsWrite() && s.Namespace != "" && string(e.Name) == s.Namespace
	case s.Namespace != "" && e.Namespace.String() != s.Namespace:
		return false
	case resource == s.Resource:
		return string(e.Name) == s.Name && s.ofGroup(e)
	}
	return e.IsWrite() && s.isRelative(resource, string(e.Name))
}

// isRelative reports whether an object of another kind belongs to the subject.
func (s *Subject) isRelative(resource, name string) bool {
	rest, ok := strings.CutPrefix(name, s.Name)
	return ok && (rest == "" || rest[0] == '-') && slices.Contains(relatives[s.Resource], relative{resource, strings.Count(rest, "-")})
}

// byClient reports whether the subject's client sent the request.
func (s *Subject) byClient(e *audit.Event) bool {
	return (s.User == "" || s.User == e.Actor().String()) && (s.UserAgent == "" || s.UserAgent == e.UserAgent.String()) &&
		(s.SourceIP == "" || s.SourceIP == e.ClientIP().String())
}

// ofKind reports whether the event is about the subject's kind of objects.
func (s *Subject) ofKind(e *audit.Event) bool {
	if s.Resource != "" && (s.Resource != e.Resource.String() || !s.ofGroup(e)) {
		return false
	}
	return (s.Namespace == "" || s.Namespace == e.Namespace.String()) && (s.Subresource == "" || s.Subresource == e.Subresource.String())
}

func (s *Subject) ofGroup(e *audit.Event) bool {
	return s.APIGroup == "" && !s.Exact || s.APIGroup == e.Group.String()
}

// onNode reports whether the event is a kubelet's, or about its Node or Lease.
func (s *Subject) onNode(e *audit.Event) bool {
	if node, ok := strings.CutPrefix(e.User.String(), nodeUser); ok && s.isNode(node) {
		return true
	}
	resource := e.Resource.String()
	return (resource == "nodes" || resource == "leases" && e.Namespace.String() == "kube-node-lease") && s.isNode(string(e.Name))
}

// nodeUser begins the name of a kubelet's user, which ends with its node.
const nodeUser = "system:node:"

func (s *Subject) isNode(name string) bool { return s.Node != "" && name == s.Node || s.Nodes[name] }
