package endpointflap

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

const (
	accounts     = "system:serviceaccount:"
	kubeAccounts = accounts + "kube-system:"
	managerAgent = "kube-controller-manager/"
)

// keepers are the users of the controllers that keep the endpoints of all Services: an
// account for each, or the controller-manager's own user.
var keepers = []string{
	"system:kube-controller-manager",
	kubeAccounts + "endpoint-controller",
	kubeAccounts + "endpointslice-controller",
	kubeAccounts + "endpointslicemirroring-controller",
}

// collectors are the controllers that delete objects without an owner or a namespace. If
// one deletes an object, its owner is gone, wherever that was logged.
var collectors = []string{"generic-garbage-collector", "namespace-controller"}

// isKeeper reports whether a user is a controller that keeps endpoints.
func isKeeper(user string) bool { return slices.Contains(keepers, user) }

// byKeeper reports whether a controller that keeps endpoints made the move.
func (m *Move) byKeeper() bool {
	return isKeeper(m.User) || strings.HasPrefix(m.UserAgent, managerAgent)
}

// byCollector reports whether a collector made the move. If all controllers have the
// controller-manager's user, their user agents end with their names.
func (m *Move) byCollector() bool {
	for _, name := range collectors {
		if m.User == kubeAccounts+name || strings.HasPrefix(m.UserAgent, managerAgent) && strings.HasSuffix(m.UserAgent, name) {
			return true
		}
	}
	return false
}

// automated reports whether a program made the move: a service account, or a system user
// without kubectl or oc. With these it may be a person: k3s and OpenShift call their
// administrator system:admin.
func (m *Move) automated() bool {
	if strings.HasPrefix(m.User, accounts) {
		return true
	}
	program, _, _ := strings.Cut(m.UserAgent, "/")
	return strings.HasPrefix(m.User, "system:") && program != "kubectl" && program != "oc"
}

// who names the actor for a title.
func (m *Move) who() string {
	text := m.User
	if text == "" {
		text = "an unknown user"
	}
	if program, _, _ := strings.Cut(m.UserAgent, " "); program != "" {
		text += " (" + program + ")"
	}
	return analysis.Plain(text)
}

// most returns a move of the client that made most of them, the first by name if several
// made as many. The move has no address if the client has several.
func most(moves []*Move) Move {
	type client struct{ user, agent string }
	count := map[client]int{}
	for _, m := range moves {
		count[client{m.User, m.UserAgent}]++
	}
	var best Move
	n := 0
	for _, m := range moves {
		c := count[client{m.User, m.UserAgent}]
		same := m.User == best.User && m.UserAgent == best.UserAgent
		switch {
		case same && c == n:
			if m.SourceIP != best.SourceIP {
				best.SourceIP = ""
			}
		case c > n, c == n && m.User+"\x00"+m.UserAgent < best.User+"\x00"+best.UserAgent:
			best, n = *m, c
		}
	}
	return best
}

func (m *Move) byMirror() bool {
	return strings.HasSuffix(m.User, mirrors) || strings.HasSuffix(m.UserAgent, mirrors)
}
