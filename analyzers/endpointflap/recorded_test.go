package endpointflap_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers/endpointflap"
	"github.com/kaudit/kaudit/parser"
)

// recorded are the findings in each recorded log: severity, name, cycles. Logs
// that are not listed have none.
var recorded = map[string][]string{
	"a-stuck-metadata-same": {
		"critical shop/cart 44", "critical shop/checkout 44", "critical shop/db 22", "info shop/search 1",
	},
	"014-leader-election-endpoints-deleted": {
		"warning kube-system/kube-controller-manager 1", "warning kube-system/kube-scheduler 1",
	},
	"017-cronjob-deletes-endpoints": {"critical shop/api 7"},
}

func TestRecordedLogsHaveTheFindingsThatAreKnown(t *testing.T) {
	logs := glob(t, "../../fixtures/*-*", "../../fixtures/cases/*")
	if len(logs) < 40 {
		t.Fatalf("there are %d recorded logs", len(logs))
	}
	check(t, logs)
}

// TestTheWholeLabHasTheFindingsThatAreKnown walks the logs that are too large
// to be fixtures, where they are.
func TestTheWholeLabHasTheFindingsThatAreKnown(t *testing.T) {
	check(t, glob(t, "../../../shared/lab/*-*"))
}

func glob(t *testing.T, patterns ...string) (logs []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, found...)
	}
	return logs
}

func check(t *testing.T, logs []string) {
	for _, log := range logs {
		name := filepath.Base(log)
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(recorded[name], told(scan(t, log))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func scan(t *testing.T, log string) []analysis.Finding {
	t.Helper()
	in := parser.Find([]string{log}, nil)
	result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{endpointflap.New()}, Workers: 2})
	return result.Findings
}

func told(findings []analysis.Finding) (lines []string) {
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s/%s %d", f.Severity, f.Subject.Namespace, f.Subject.Name, f.Details.Int("cycles")))
	}
	slices.Sort(lines)
	return lines
}

func TestTheReplayNamesItsActorsAndOutages(t *testing.T) {
	for _, f := range scan(t, "../../fixtures/a-stuck-metadata-same") {
		if f.Severity != analysis.Critical {
			continue
		}
		const manager = "system:kube-controller-manager"
		if d := f.Details; d.Text("deletedBy") != manager || d.Text("createdBy") != manager || !strings.Contains(f.Title, manager) {
			t.Errorf("%s: deleted by %q and created by %q", f.Title, d.Text("deletedBy"), d.Text("createdBy"))
		}
		if f.Subject.User != manager || f.Subject.SourceIP != "10.0.0.11" {
			t.Errorf("%s: it is about %+v", f.Title, f.Subject)
		}
		longest, total := f.Details.Float("longestOutageSeconds"), f.Details.Float("totalOutageSeconds")
		if n := float64(f.Count); longest < 1.7 || longest > 1.9 || total < n*0.3 || total > n*longest {
			t.Errorf("%s: longest outage %v s, %v s in all; deletions and creations are 0.3 to 1.8 s apart", f.Title, longest, total)
		}
		if len(f.Marks) != f.Count {
			t.Errorf("%s: %d outages are marked", f.Title, len(f.Marks))
		}
	}
}
