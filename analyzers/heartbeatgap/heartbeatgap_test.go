package heartbeatgap_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers/heartbeatgap"
	"github.com/kaudit/kaudit/parser"
)

func TestHeartbeatGap(t *testing.T) { analysistest.Run(t, heartbeatgap.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, heartbeatgap.New) }

// recorded are the findings in each recorded log: severity, pattern, nodes and
// whole seconds. Logs that are not listed have none.
var recorded = map[string][]string{
	"d-heartbeat-gap": {
		"critical many-nodes 12 from 10.0.0.100 62s", "warning never-returned 1 from  219s",
	},
	"h-ha-two-apiservers": {"warning never-returned 1 from  105s"},
	// Read alone, these nodes look silent: six came to the other server, and went.
	"cp1":                                  {"info elsewhere 6 from  91s"},
	"cp2":                                  {"possible warning never-returned 6 from  51s", "warning never-returned 1 from  105s"},
	"029-kubelet-dead-h2-connection-15min": {"warning one-node 1 from  944s"},
	"031-node-flapping-grace-10s":          {"info marked-while-regular 12 from  0s"},
}

func TestRecordedLogsHaveTheSilencesThatAreKnown(t *testing.T) {
	for _, pattern := range []string{"../../fixtures/*-*", "../../fixtures/*/cp*", "../../fixtures/cases/*", "../../../shared/lab/*-*"} {
		logs, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, log := range logs {
			t.Run(filepath.Base(log), func(t *testing.T) {
				in := parser.Find([]string{log}, nil)
				result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{heartbeatgap.New()}, Workers: 2})
				if diff := cmp.Diff(recorded[filepath.Base(log)], summaries(result.Findings)); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestWhatTheNodeControllerDidIsCounted(t *testing.T) {
	in := parser.Find([]string{"../../fixtures/d-heartbeat-gap"}, nil)
	result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{heartbeatgap.New()}, Workers: 2})
	var got [][3]int
	for _, f := range result.Findings {
		got = append(got, [3]int{f.Details.Int("markedNotReady"), f.Details.Int("tainted"), f.Details.Int("evicted")})
	}
	if diff := cmp.Diff([][3]int{{12, 12, 7}, {1, 1, 2}}, got); diff != "" {
		t.Errorf("marked, tainted, evicted (-want +got):\n%s", diff)
	}
}

func summaries(findings []analysis.Finding) (lines []string) {
	for _, f := range findings {
		line := fmt.Sprintf("%s %s %d from %s %ds", f.Severity, f.Details.Text("pattern"), f.Count,
			f.Details.Text("commonIP"), f.Details.Int("gapSeconds"))
		if f.Confidence == analysis.Possible {
			line = "possible " + line
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}
