package heartbeatgap_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	"h-ha-two-apiservers":  {"warning never-returned 1 from  105s"},
	"i-etcd-away":          {"critical all-nodes 12 from 127.0.0.1 85s"},
	"j-balancer-and-fight": {"critical many-nodes 8 from  82s", "warning never-returned 1 from  298s"},
	"l-webhook-takes-all":  {"critical all-nodes 6 from 127.0.0.1 120s"},
	"m-etcd-full":          {"critical all-nodes 8 from 127.0.0.1 53s"},
	// Those of the balancer, and the dead node on the other server.
	"j-balancer-and-fight/cp1": {"critical many-nodes 8 from  82s", "possible warning never-returned 1 from  431s"},
	"j-balancer-and-fight/cp2": {"possible warning never-returned 1 from  298s"},
	// Read alone, these nodes look silent: six came to the other server, and went.
	"h-ha-two-apiservers/cp1":              {"info elsewhere 6 from  91s"},
	"h-ha-two-apiservers/cp2":              {"possible warning never-returned 6 from  51s", "warning never-returned 1 from  105s"},
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
			name := filepath.Base(log)
			if strings.HasPrefix(name, "cp") {
				name = filepath.Base(filepath.Dir(log)) + "/" + name
			}
			t.Run(name, func(t *testing.T) {
				in := parser.Find([]string{log}, nil)
				result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{heartbeatgap.New()}, Workers: 2})
				if diff := cmp.Diff(recorded[name], summaries(result.Findings)); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestBeatsHeardElsewhereAreNoSilence: a picture that shows a silence would tell
// of a dead node.
func TestBeatsHeardElsewhereAreNoSilence(t *testing.T) {
	in := parser.Find([]string{"../../fixtures/h-ha-two-apiservers/cp1"}, nil)
	result := driver.Run(t.Context(), in.Logs, driver.Options{Analyzers: []*analysis.Analyzer{heartbeatgap.New()}, Workers: 2})
	kinds := map[string]int{}
	for _, m := range result.Findings[0].Marks {
		kinds[m.Kind]++
	}
	if diff := cmp.Diff(map[string]int{"elsewhere": 6, "heard": 12}, kinds); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
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

// TestWhenNodesWereHeardIsToldOfAFew: however many fall silent, a finding has
// room for the marks of all.
func TestWhenNodesWereHeardIsToldOfAFew(t *testing.T) {
	for nodes, want := range map[int]int{3: 3, 100: 12, 190: 12, 700: 12} {
		var log strings.Builder
		for n := range nodes + 1 { // the last one beats on
			for beat := range 40 {
				if n == nodes || beat < 12 || beat >= 25 {
					renew(&log, fmt.Sprintf("n%03d", n), time.Duration(beat)*10*time.Second)
				}
			}
		}
		found := theFinding(t, log.String())
		heard, silent := map[string]int{}, 0
		for _, m := range found.Marks {
			switch m.Kind {
			case "heard":
				heard[m.Label]++
			case "gap":
				silent += m.N
			}
		}
		if len(heard) != want || silent != nodes || len(found.Marks) > analysis.MaxMarks {
			t.Errorf("of %d silent nodes %d are told of when they were heard, want %d; %d silences", nodes, len(heard), want, silent)
		}
		for node, times := range heard {
			if times != 2 {
				t.Errorf("%s was heard %d times, want before and after", node, times)
			}
		}
	}
}

// TestASilenceOfALongLogIsExact: the lines on either side of it are kept, however
// long the log is.
func TestASilenceOfALongLogIsExact(t *testing.T) {
	var log strings.Builder
	for at := time.Duration(0); at < 20*time.Hour; at += 10 * time.Second {
		renew(&log, "steady", at)
		if at <= 11*time.Hour || at >= 11*time.Hour+16*time.Minute {
			renew(&log, "silent", at)
		}
	}
	found := theFinding(t, log.String())
	var lines []string
	for _, ref := range found.Evidence {
		lines = append(lines, ref.AuditID)
	}
	if diff := cmp.Diff([]string{"silent-11h0m0s", "silent-11h16m0s"}, lines); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if got := found.Details.Int("gapSeconds"); got != 16*60 {
		t.Errorf("a silence of %d s, want 16 minutes", got)
	}
}

// theFinding returns the one finding of a log.
func theFinding(t *testing.T, log string) analysis.Finding {
	t.Helper()
	logs := []*parser.Log{parser.NewLog("audit.log", strings.NewReader(log))}
	found := driver.Run(t.Context(), logs, driver.Options{Analyzers: []*analysis.Analyzer{heartbeatgap.New()}, Workers: 2}).Findings
	if len(found) != 1 {
		t.Fatalf("%d findings, want one", len(found))
	}
	return found[0]
}

// renew writes the renewal of a node's lease, so long after midnight.
func renew(log *strings.Builder, node string, after time.Duration) {
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(after)
	fmt.Fprintf(log, renewal, node, after, at.Format(micro), at.Add(5*time.Millisecond).Format(micro))
}

const micro = "2006-01-02T15:04:05.000000Z"

const renewal = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"%[1]s-%[2]s","stage":"ResponseComplete",` +
	`"requestURI":"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/%[1]s","verb":"update","user":{"username":"system:node:%[1]s"},` +
	`"objectRef":{"resource":"leases","namespace":"kube-node-lease","name":"%[1]s","apiGroup":"coordination.k8s.io"},"responseStatus":{"code":200},` +
	`"requestReceivedTimestamp":"%[3]s","stageTimestamp":"%[4]s"}` + "\n"

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
