package requesttimeout_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/requesttimeout"
)

func TestRequestTimeout(t *testing.T) { analysistest.Run(t, requesttimeout.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, requesttimeout.New, map[string][]string{
		"e-panic-generic-all": {
			`"warning confirmed requests of alice for widgets: 3 timed out, 2 never ended, 3 ran into the client's own timeout, 3 were left by the client"
				timeouts=3 overruns=0 unfinished=2 ownTimeouts=3 clientAborts=3 timeoutSeconds=5 timeoutInferred=true count=5`,
			`"warning confirmed requests of ci-bot for widgets: 3 were worked on for longer than the timeout of 5s" overruns=3 timeouts=0 maxSeconds=9.020641`,
		},
		"038-leader-lease-lost-etcd-timeout": {
			`"warning confirmed requests of system:serviceaccount:monitoring:vm-operator for leases: 2 failed since etcd timed out" etcdTimeouts=2`,
			`"warning confirmed requests of ops-1 for configmaps: 4 failed since etcd timed out" timeouts=4 timeoutInferred=false`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, requesttimeout.New) }
