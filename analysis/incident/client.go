package incident

import (
	"cmp"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// controllerManager is the user, and the program, whose controllers keep
// endpoints.
const (
	controllerManager      = "kube-controller-manager"
	controllerManagerUser  = "system:" + controllerManager
	controllerAccountsRoot = "system:serviceaccount:kube-system:"
)

// endpointControllers are the service accounts that the controllers of
// endpoints use under --use-service-account-credentials, while informers are
// shared and watch as the controller-manager itself.
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
	for _, account := range endpointControllers {
		if s.User == account {
			return true
		}
	}
	return false
}

// client names who a finding is about: the program if it says, and the user.
func client(f *analysis.Finding) string {
	program, _, _ := strings.Cut(f.Subject.UserAgent, "/")
	who := cmp.Or(program, f.Subject.User, "a client")
	if f.Subject.SourceIP != "" {
		who += " at " + f.Subject.SourceIP
	}
	return who
}
