package heartbeatgap

import (
	"bytes"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// managerUser is all controllers at once, without
// --use-service-account-credentials. Then the user agent ends with the
// controller's name.
const (
	managerUser   = "system:kube-controller-manager"
	accountPrefix = "system:serviceaccount:kube-system:"
	nodeSuffix    = "node-controller" // node-lifecycle-controller's own name for its client
)

// byNodeController reports whether the controller acts that judges nodes by
// their beats.
func byNodeController(e *audit.Event) bool {
	switch e.Actor().String() {
	case accountPrefix + nodeSuffix:
		return true
	case managerUser:
		return agentMayBe(e, nodeSuffix)
	}
	return false
}

// evicts reports whether a controller acts that deletes the pods of nodes that
// are not ready: the node-controller, since 1.29 the taint-eviction-controller.
func evicts(e *audit.Event) bool {
	const taints = "taint-eviction-controller"
	switch e.Actor().String() {
	case accountPrefix + nodeSuffix, accountPrefix + taints:
		return true
	case managerUser:
		return strings.HasSuffix(e.UserAgent.String(), nodeSuffix) || strings.HasSuffix(e.UserAgent.String(), taints)
	}
	return false
}

// agentMayBe reports whether the user agent is that of the controller, or
// tells of none: attaching volumes writes nodes' status too.
func agentMayBe(e *audit.Event, controller string) bool {
	agent := e.UserAgent.String()
	if i := strings.LastIndexByte(agent, '/'); i >= 0 && strings.HasSuffix(agent, "-controller") {
		return agent[i+1:] == controller
	}
	return true
}

// byProgram reports whether a service account acts, or one of the system's users
// without a person's tool.
func byProgram(e *audit.Event) bool {
	user := e.Actor().String()
	if strings.HasPrefix(user, "system:serviceaccount:") {
		return true
	}
	program, _, _ := strings.Cut(e.UserAgent.String(), "/")
	return strings.HasPrefix(user, "system:") && program != "kubectl" && program != "oc"
}

// byController reports whether one of the cluster's own controllers acts, which
// patch nodes all the time.
func byController(e *audit.Event) bool {
	user := e.Actor().String()
	return strings.HasPrefix(user, "system:") && (strings.HasSuffix(user, "-controller") || strings.HasSuffix(user, "-controller-manager"))
}

var (
	notReady    = []byte("node.kubernetes.io/not-ready")
	unreachable = []byte("node.kubernetes.io/unreachable")
)

// mayTaint reports whether the node-controller's patch of a node may taint it for its
// silence. It taints nodes that were cordoned, too; where the log has bodies, they tell.
func mayTaint(e *audit.Event) bool {
	body, told := analysis.RequestBody(e)
	return !told || bytes.Contains(body, notReady) || bytes.Contains(body, unreachable)
}
