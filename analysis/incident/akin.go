package incident

import (
	"math"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// These are the ways in which two findings belong together: values of effect.akin.

// anyone accepts every finding: the root hurts whoever is there.
func anyone(_, _ *analysis.Finding) bool { return true }

// another reports whether f is about another user than the root, so that it is
// a victim of what the root's user does.
func another(root, f *analysis.Finding) bool {
	return root.Subject.User != f.Subject.User
}

// asManyRefused reports whether at least as many clients were refused as nodes fell
// silent.
func asManyRefused(root, f *analysis.Finding) bool {
	return max(1, root.Details.Int("members")) >= f.Count
}

// sameAddress reports whether two findings are about clients at one address.
func sameAddress(root, f *analysis.Finding) bool {
	return f.Subject.SourceIP != "" && root.Subject.SourceIP == f.Subject.SourceIP
}

// The controller-manager's program, its user, and the beginning of the users of its
// controllers.
const (
	controllerManager      = "kube-controller-manager"
	controllerManagerUser  = "system:" + controllerManager
	controllerAccountsRoot = "system:serviceaccount:kube-system:"
)

// endpointControllers are the service accounts that the controllers of
// endpoints write as under --use-service-account-credentials. They share informers,
// which watch as the controller-manager itself.
var endpointControllers = []string{
	controllerAccountsRoot + "endpoint-controller",
	controllerAccountsRoot + "endpointslice-controller",
	controllerAccountsRoot + "endpointslicemirroring-controller",
}

// sameController reports whether the watcher's program can have deleted the
// flapping object: it is the same client, or another account of the same
// controller-manager, and the watched scope holds the object.
func sameController(watch, flap *analysis.Finding) bool {
	w, f := watch.Subject, flap.Subject
	if w.Namespace != "" && w.Namespace != f.Namespace {
		return false
	}
	if w.Name != "" && w.Name != f.Name {
		return false
	}
	if w.User == f.User {
		return w.User != "" && (w.SourceIP == f.SourceIP || w.SourceIP == "" || f.SourceIP == "")
	}
	return isControllerManager(w) && isControllerManager(f)
}

func isControllerManager(s analysis.Subject) bool {
	if s.User == controllerManagerUser || strings.HasPrefix(s.UserAgent, controllerManager+"/") {
		return true
	}
	return slices.Contains(endpointControllers, s.User)
}

// sameUser reports whether two findings are about one user with one program.
func sameUser(root, f *analysis.Finding) bool {
	return root.Subject.User == f.Subject.User && root.Subject.UserAgent == f.Subject.UserAgent
}

// pressedBy reports whether f is about another user who was refused under the same
// client's load as the root's.
func pressedBy(root, f *analysis.Finding) bool {
	return another(root, f) && f.Details.Text("pressure") == root.Details.Text("pressure")
}

// pressedByRoot reports whether f is about someone, be it the root's user too, who was
// refused while the root's user made the load.
func pressedByRoot(root, f *analysis.Finding) bool {
	return root.Subject.User != "" && f.Details.Text("pressure") == analysis.Plain(root.Subject.User)
}

// sameClient reports whether two findings are about one client.
func sameClient(root, f *analysis.Finding) bool {
	return sameUser(root, f) && root.Subject.SourceIP == f.Subject.SourceIP
}

// sameReader reports whether two findings are about one client, or about two clients
// of one program that watch the same resource.
func sameReader(root, f *analysis.Finding) bool { return sameClient(root, f) || sameProgram(root, f) }

// sameProgram reports whether two findings are about two clients of one program and
// the same resource.
func sameProgram(root, f *analysis.Finding) bool {
	return root.Subject.UserAgent != "" && root.Subject.UserAgent == f.Subject.UserAgent && sameResource(root, f)
}

// sameResource reports whether two findings are about one resource and two clients.
func sameResource(root, f *analysis.Finding) bool {
	r, s := root.Subject, f.Subject
	return r.Resource != "" && r.Resource == s.Resource && r.APIGroup == s.APIGroup && (r.User != s.User || r.SourceIP != s.SourceIP)
}

// sameDeleter reports whether one client deleted both objects. User agents are not
// compared: a finding names none if there were several.
func sameDeleter(root, f *analysis.Finding) bool {
	return root.Subject.User != "" && root.Subject.User == f.Subject.User && root.Subject.SourceIP == f.Subject.SourceIP
}

// sameScope reports whether one client watched the same in both findings.
func sameScope(root, f *analysis.Finding) bool {
	r, s := root.Subject, f.Subject
	return sameClient(root, f) && r.APIGroup == s.APIGroup && r.Resource == s.Resource && r.Namespace == s.Namespace && r.Name == s.Name
}

// sameNode reports whether two findings are about one node.
func sameNode(root, f *analysis.Finding) bool { return root.Subject.Node == f.Subject.Node }

// sameLength reports whether the sessions of two findings were cut at one
// length, within a twentieth: what cuts them checks for idle ones at intervals.
func sameLength(root, f *analysis.Finding) bool {
	a, b := root.Details.Float("cutAtSeconds"), f.Details.Float("cutAtSeconds")
	return math.Abs(a-b) <= max(1, max(a, b)/20)
}
