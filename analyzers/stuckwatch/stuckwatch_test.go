package stuckwatch_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/stuckwatch"
)

func TestStuckWatch(t *testing.T) { analysistest.Run(t, stuckwatch.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, stuckwatch.New, map[string][]string{
		"a-stuck-metadata-same": {
			`"critical confirmed system:kube-controller-manager came back to resourceVersion 376 of services 45 times"
				kind=same-rv resourceVersion=376 rounds=45 writesInScope=103 count=45
				subject.user=system:kube-controller-manager subject.sourceIP=10.0.0.11 subject.resource=services`,
		},
		"001-rv-backwards-after-delete": {
			`"warning confirmed .*foo:cfg-agent on configmaps in namespace foo went back from resourceVersion 4200 to 3107"
				kind=backwards triggerUser=ops-1`,
		},
		"002-stale-rv-tight-loop": {
			`"warning confirmed .*log-collector watches pods .* 88120034: 70 watches ended at once" kind=tight-loop rounds=70`,
		},
		"004-http-410-loop-same-rv": {
			`"warning confirmed .*node-watcher watches pods .* 3105: 20 watches ended at once" kind=tight-loop rounds=20 gone=20`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, stuckwatch.New) }
