package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// work is what a small cluster does in so many seconds: each of the requests is
// made once a second.
func work(t *testing.T, seconds int, requests ...string) []*audit.Event {
	t.Helper()
	var events []*audit.Event
	for s := range seconds {
		for i, text := range requests {
			at := float64(s) + float64(i)/100
			e := done(t, at, at, text)
			switch e.Resource.String() {
			case "leases":
				e.Group = scopeLeases.Group
			case "subjectaccessreviews":
				e.Group = groupAuthz
			}
			if name, sub, ok := strings.Cut(string(e.Name), "+"); ok {
				e.Name, e.Subresource = audit.View(name), audit.Intern(sub)
			}
			events = append(events, e)
		}
	}
	return events
}

func TestWhatAPolicyLeavesOutIsToldWhereTheClusterIsAtWork(t *testing.T) {
	const (
		beat     = "system:node:n1 update kube-node-lease/leases/n1 200"
		podState = "system:node:n1 patch shop/pods/web+status 200"
		nodeRead = "system:node:n1 get /nodes/n1 200"
		watches  = "system:node:n1 watch shop/pods/ 200"
		elects   = "system:kube-controller-manager update kube-system/leases/kube-controller-manager 200"
		refused  = "system:kube-controller-manager update kube-system/leases/kube-controller-manager 500"
		asks     = "system:kube-controller-manager create /subjectaccessreviews/ 201"
		own      = "system:apiserver update kube-system/leases/apiserver-x 200"
		endpoint = "system:serviceaccount:kube-system:endpoint-controller update shop/endpoints/web 200"
		foreign  = "system:serviceaccount:ops:reset delete shop/endpoints/web 200"
		service  = "ci create shop/services/web 201"
		binds    = "system:kube-scheduler create shop/pods/web+binding 201"
		operator = "op update shop/leases/op 200"
	)
	for _, c := range []struct {
		what     string
		seconds  int
		requests []string
		traffic  Traffic
		want     string
	}{
		{"no watch in twelve minutes", 720, []string{beat, nodeRead}, Watches, "no watch is in this log"},
		{"of the API server", 720, []string{own, "system:apiserver get kube-system/leases/apiserver-x 200"}, Watches, "no watch is in this log"},
		{"nothing that it reads", 120, []string{own}, Watches, "no read (get, list, watch)"},
		{"in two", 120, []string{beat, nodeRead}, Watches, ""},
		{"a watch", 720, []string{beat, watches}, Watches, ""},
		{"of nobody who watches", 720, []string{service}, Watches, ""},

		{"writes alone", 120, []string{beat, podState}, Reads, "no read (get, list, watch)"},
		{"a few", 40, []string{beat, podState}, Reads, ""},
		{"of the API server's own", 120, []string{own}, Reads, "no read (get, list, watch)"},
		{"reads too", 120, []string{beat, nodeRead}, Reads, ""},

		{"kubelets without a Lease", 120, []string{podState, nodeRead}, Heartbeats, "no kubelet's heartbeat"},
		{"of a minute", 50, []string{podState, nodeRead}, Heartbeats, ""},
		{"controllers without kubelets", 120, []string{elects, endpoint}, Heartbeats, "no kubelet's heartbeat"},
		{"kubelets with Leases", 120, []string{podState, beat}, Heartbeats, ""},
		{"Services that nobody serves", 120, []string{service}, Heartbeats, "no kubelet's heartbeat"},
		{"somebody's requests", 720, []string{operator}, Heartbeats, ""},
		{"controllers may mark nodes", 120, []string{endpoint}, Marks, ""},
		{"they do nothing but elect a leader", 120, []string{elects, podState}, Marks, "no kubelet's heartbeat"},

		{"nobody leads", 120, []string{endpoint, own}, Leaders, "no renewal of a leader's Lease"},
		{"every renewal fails", 120, []string{endpoint, refused}, Leaders, ""},
		{"no controllers", 120, []string{beat, podState}, Leaders, ""},
		{"an operator leads", 120, []string{endpoint, operator}, Leaders, ""},
		{"but the core does not", 120, []string{endpoint, binds, operator}, CoreLeaders, "no renewal of the Leases of kube-controller-manager"},
		{"the core leads", 120, []string{endpoint, binds, elects}, CoreLeaders, ""},

		{"Services without endpoints", 3, []string{service}, Endpoints, "no write of endpoints"},
		{"two", 2, []string{service}, Endpoints, ""},
		{"with endpoints", 3, []string{service, endpoint}, Endpoints, ""},
		{"bound pods", 10, []string{binds, elects, asks}, Endpoints, "nothing that controllers write"},
		{"of which a controller takes notice", 10, []string{binds, "system:serviceaccount:kube-system:replicaset-controller update shop/replicasets/web 200"}, Endpoints, ""},
		{"endpoints that others write", 3, []string{service, foreign}, Keepers, "no controller's write of endpoints"},
		{"endpoints that both write", 3, []string{service, foreign, endpoint}, Keepers, ""},
	} {
		f := facts(work(t, c.seconds, c.requests...)...)
		got := Needs{Sees: c.traffic}.blind(f)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: blind %q, want %q", c.what, got, c.want)
		}
		part := fmt.Sprint(Needs{Parts: []Part{{Sees: c.traffic, Unseen: "what it does is unseen"}}}.blindInPart(f))
		if (part == "[]") != (c.want == "") || c.want != "" && !strings.HasSuffix(part, ", so what it does is unseen]") {
			t.Errorf("%s: blind in part %s", c.what, part)
		}
	}
}
