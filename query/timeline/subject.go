package timeline

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Subject is what a timeline is about: an object, a node, what a client does,
// or several of these. What is not set fits anything.
type Subject struct {
	Resource    string // the plural
	APIGroup    string // "" is any, unless Exact
	Exact       bool   // the group is as it is told, also if that is none
	Namespace   string
	Name        string // with it, what belongs to the object belongs to the subject
	Subresource string

	Node  string          // a node, and what its kubelet does
	Nodes map[string]bool // or several, which are told of together

	User, UserAgent, SourceIP string // whose requests; the user is who acts, impersonated or not

	Writes  bool // its writes alone
	Watches bool // its lists and watches alone
	Clients bool // of several clients, which are told of together
}

// A fold says what repeats need not have in common.
type fold struct {
	names   bool // the object, beyond its kind
	kinds   bool // its kind
	clients bool // who asked for it
	version bool // from which version a watch begins
	nodes   bool // which kubelet asked for it
}

// fold returns what tells repeats apart: of what the subject does not name,
// there may be many, which are no story each.
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

// byClient reports whether it is the client's request.
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
