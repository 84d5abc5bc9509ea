package requesttimeout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers/requesttimeout"
	"github.com/kaudit/kaudit/parser"
)

func TestRequestTimeout(t *testing.T) { analysistest.Run(t, requesttimeout.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, requesttimeout.New, map[string][]string{
		"i-etcd-away": {
			// Kubelets give a beat up after 10 s.
			`"info confirmed requests of 12 clients of kubelet/v1.35.4 for leases.coordination.k8s.io: 40 were abandoned by the client" timeouts=0 clients=12`,
			`"info confirmed requests of 11 clients of kubelet/v1.35.4 for nodes: 39 were abandoned by the client" timeouts=0 clients=11`,
			`"info confirmed requests of system:kube-scheduler for leases.coordination.k8s.io: 1 ran into the client's own timeout, 2 were abandoned by the client" ownTimeouts=1`,
			`"warning confirmed requests of ci@corp for deployments.apps: 2 timed out" timeouts=2`,
			`"warning confirmed requests of mara.admin for pods: 1 timed out" timeouts=1`,
			`"warning confirmed requests of system:apiserver for leases.coordination.k8s.io: 2 timed out" timeouts=2`,
		},
		"e-panic-generic-all": {
			`"warning confirmed requests of alice for widgets.lab.example.com: 3 timed out, 2 never ended; in addition, 3 ran into the client's own timeout, 3 were abandoned by the client"
				timeouts=3 overruns=0 unfinished=2 ownTimeouts=3 clientAborts=3 timeoutSeconds=5 timeoutInferred=true count=5`,
			`"info confirmed requests of a client at 10.0.3.7 for widgets.lab.example.com: 2 refused .400. for a .timeout= that is no duration" badTimeouts=2`,
			`"warning confirmed requests of ci-bot for widgets.lab.example.com: 3 were processed for longer than the timeout of 5s" overruns=3 timeouts=0 maxSeconds=9.020641`,
		},
		"038-leader-lease-lost-etcd-timeout": {
			`"warning confirmed requests of system:serviceaccount:monitoring:vm-operator for leases.coordination.k8s.io: 2 failed because etcd timed out" etcdTimeouts=2 first=07:12:56`,
			`"warning confirmed requests of ops-1 for configmaps: 4 failed because etcd timed out" timeouts=4 timeoutInferred=false`,
		},
		"047-auth-failure-responsestarted-only": {
			`"info confirmed requests of ops-1 for pods: 1 refused .400. for a .timeout= that is no duration" badTimeouts=1`,
		},
		// Three lists that went on for 61 to 63 s, to end in a panic: panic tells
		// of each, and of how late it came, as critical. They are not told twice.
		"034-nil-pointer-panic": {},
	})
}

// TestMarksShowWhenItWas: alice's requests without end lasted 5 s at least, the
// timeout, and each that timed out did so at one moment.
func TestMarksShowWhenItWas(t *testing.T) {
	in := parser.Find([]string{"../../fixtures/e-panic-generic-all"}, nil)
	result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{requesttimeout.New()}})
	got := map[string][]time.Duration{}
	for _, f := range result.Findings {
		if f.Subject.User != "alice" {
			continue
		}
		for _, m := range f.Marks {
			got[m.Kind] = append(got[m.Kind], m.To.Sub(m.From))
		}
	}
	want := map[string][]time.Duration{"unfinished": {5 * time.Second, 5 * time.Second}, "timeout": {0, 0, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lengths of marks (-want +got):\n%s", diff)
	}
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, requesttimeout.New) }
