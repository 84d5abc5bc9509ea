package watchstall_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers/watchstall"
	"github.com/kaudit/kaudit/parser"
)

func TestWatchStall(t *testing.T) { analysistest.Run(t, watchstall.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, watchstall.New, map[string][]string{
		"c-stalled-watches": { // five overdue ones, of two resources, and the pile of twenty
			`"critical confirmed 4 watches of .*leaky-dashboard on pods outlived the timeout: 30s asked" stalled=4 open=16`,
			`"critical confirmed 1 watch of .*leaky-dashboard on configmaps outlived the timeout" stalled=1`,
			`"warning likely 5 to 20 watches of .*leaky-dashboard for the initial state of .* were open at once" kind=pile open=20`,
		},
		"010-initial-events-stalled-client": {
			`"warning likely 5 watches of .*inv:inventory for the initial state of pods, secrets were open at once for 18m37s" kind=pile`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, watchstall.New) }

// TestReadersBehindABalancerAreNoPile: twenty proxies that come from one address begin
// together and are cut off together. Read alone, the log of one server does not have
// all that they do.
func TestReadersBehindABalancerAreNoPile(t *testing.T) {
	in := parser.Find([]string{"../../fixtures/j-balancer-and-fight/cp1"}, nil)
	for _, f := range driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{watchstall.New()}}).Findings {
		if f.Severity != analysis.Info {
			t.Errorf("a %s finding: %s", f.Severity, f.Title)
		}
	}
}
