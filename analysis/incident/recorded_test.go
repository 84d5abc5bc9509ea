package incident_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/analyzers/endpointflap"
	"github.com/kaudit/kaudit/analyzers/stuckwatch"
	"github.com/kaudit/kaudit/parser"
)

const recorded = "../../fixtures"

func findings(t *testing.T, logs []*parser.Log) []analysis.Finding {
	return driver.Run(t.Context(), logs, driver.Options{
		Analyzers: []*analysis.Analyzer{endpointflap.New(), stuckwatch.New()},
	}).Findings
}

// The truth of the recorded log: a client stuck at services 376, and the
// endpoints cart, checkout and db that go after each of its rounds.
func TestTheRecordedReplayIsOneIncident(t *testing.T) {
	found := findings(t, parser.Find([]string{filepath.Join(recorded, "a-stuck-metadata-same", "audit.log.gz")}, nil).Logs)
	incidents := incident.Find(found, 0)
	if len(incidents) != 1 {
		t.Fatalf("got %d incidents, want 1", len(incidents))
	}
	in := incidents[0]
	if in.Severity != analysis.Critical || in.Confidence != analysis.Confirmed || len(in.Timeline) == 0 {
		t.Errorf("got a %s %s incident with %d lines of timeline, want a critical confirmed one", in.Severity, in.Confidence, len(in.Timeline))
	}
	after := map[string]int{}
	for _, f := range found {
		if slices.Contains(in.Findings, f.ID) && f.Analyzer == "endpoint-flap" {
			after[f.Subject.Name] = f.Details.Int("afterWatchRound")
		}
	}
	for name, want := range map[string]int{"cart": 44, "checkout": 44, "db": 22} {
		if after[name] != want {
			t.Errorf("shop/%s: %d cycles lie at a round, want %d", name, after[name], want)
		}
	}
	if len(after) != 3 {
		t.Errorf("the incident is about %v, want cart, checkout and db alone", after)
	}
}

// No other recorded log has the replay, though some have endpoints that flap
// or watches that are stuck.
func TestNoOtherRecordedLogHasTheReplay(t *testing.T) {
	folders, err := filepath.Glob(recorded + "/*")
	if err != nil || len(folders) < 5 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	cases, err := filepath.Glob(recorded + "/cases/*")
	if err != nil || len(cases) < 30 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, folder := range append(folders, cases...) {
		base := filepath.Base(folder)
		if base == "cases" || strings.HasPrefix(base, "a-stuck") {
			continue
		}
		for _, in := range incident.Find(findings(t, parser.Find([]string{folder}, nil).Logs), 0) {
			if strings.HasPrefix(in.ID, "reflector-replay/") {
				t.Errorf("%s: %s", base, in.Title)
			}
		}
	}
}

// stories are the incidents in each recorded log, by rule. Logs that are not
// listed have none.
var stories = map[string]string{
	"a-stuck-metadata-same":                 "reflector-replay",
	"c-stalled-watches":                     "stalled-reader",
	"d-heartbeat-gap":                       "load-balancer",
	"i-etcd-away":                           "storage-away api-server-restart",
	"l-webhook-takes-all":                   "not-served",
	"m-etcd-full":                           "not-served",
	"002-stale-rv-tight-loop":               "expired-version",
	"004-http-410-loop-same-rv":             "expired-version",
	"014-leader-election-endpoints-deleted": "swept-endpoints",
	"027-load-balancer-idle-60s":            "idle-timeout",
	"038-leader-lease-lost-etcd-timeout":    "storage-away",
	"040-apf-rejects-list-storm":            "throttled-client",
	"051-relist-storm-after-restart":        "connections-lost",
	"055-relist-loop-fixed-rv":              "relisting-client",

	"059-daemonset-get-storm-starves-workload-low": "greedy-client",
}

func TestTheRecordedLogsTellTheirStories(t *testing.T) {
	for _, pattern := range []string{recorded + "/*-*", recorded + "/cases/*"} {
		logs, err := filepath.Glob(pattern)
		if err != nil || len(logs) == 0 {
			t.Fatalf("%d logs, %v", len(logs), err)
		}
		for _, log := range logs {
			found := driver.Run(t.Context(), parser.Find([]string{log}, nil).Logs, driver.Options{Analyzers: analyzers.All()}).Findings
			var rules []string
			for _, in := range incident.Find(found, 0) {
				rule, _, _ := strings.Cut(in.ID, "/")
				rules = append(rules, rule)
			}
			if got := strings.Join(rules, " "); got != stories[filepath.Base(log)] {
				t.Errorf("%s: got incidents %q, want %q", filepath.Base(log), got, stories[filepath.Base(log)])
			}
		}
	}
}

// TestWhoNeverCameBackIsSaid: leaders that lost their leases start again as a rule.
func TestWhoNeverCameBackIsSaid(t *testing.T) {
	for log, want := range map[string]string{
		"i-etcd-away": "Nobody held these leases when the log ended: kube-system/kube-controller-manager, kube-system/kube-scheduler.",
		"cases/038-leader-lease-lost-etcd-timeout": "Controllers that lost their leases restart by themselves.",
	} {
		found := driver.Run(t.Context(), parser.Find([]string{filepath.Join(recorded, log)}, nil).Logs, driver.Options{Analyzers: analyzers.All()}).Findings
		if incidents := incident.Find(found, 0); !strings.Contains(incidents[0].Remedy, want) {
			t.Errorf("%s: %q, want %q in it", log, incidents[0].Remedy, want)
		}
	}
}
