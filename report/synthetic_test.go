package report_test

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/report"
)

// noon is when the synthetic log begins.
var noon = audit.TimeOf(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))

func at(seconds float64) audit.Time { return noon + audit.Time(seconds*1e6) }

func line(n int, seconds float64, stage audit.Stage, summary string) analysis.Evidence {
	return analysis.Evidence{
		Source: "audit.log", Line: n, AuditID: "5f2f6f0a-0d5c-4f6e-9a51-1d2b7c9e0001",
		Stage: stage, Time: at(seconds), Summary: summary,
	}
}

var manager = analysis.Subject{
	User: "system:kube-controller-manager", SourceIP: "10.2.0.5",
	UserAgent: "kube-controller-manager/v1.9.1 (linux/amd64) kubernetes/3a1c944",
}

// synthetic is a report that has something in every field.
func synthetic() *report.Report {
	stuck, flap := stuckWatch(), endpointFlap()
	duplicates := int64(2)
	return report.New(report.Report{
		Version: "v0.1.0",
		Input: report.Input{
			Events: 1802, Lines: 1805, Bytes: 1_530_211, First: at(0), Last: at(512),
			Stages:     map[string]int64{"RequestReceived": 600, "ResponseStarted": 12, "ResponseComplete": 1190},
			Levels:     map[string]int64{"Metadata": 1800, "RequestResponse": 2},
			Skipped:    map[string]int64{"foreign": 2, "truncated": 1},
			Duplicates: &duplicates, OutOfOrder: 3,
			Refused: []report.Refused{
				{Source: "audit.log", Line: 12, Kind: "foreign", Why: "no JSON object"},
				{Source: "audit.log", Line: 1805, Kind: "truncated", Why: "unexpected end of JSON"},
			},
			Sources: []report.Source{
				{Name: "audit.log", Log: "audit.log", Format: "jsonl", Events: 1002, Lines: 1005, Bytes: 830_211, Skipped: map[string]int64{"foreign": 2, "truncated": 1}},
				{Name: "audit-2026-03-02T12-04-00.000.log.gz", Log: "audit.log", Format: "jsonl", Events: 800, Lines: 800, Bytes: 700_000, Error: "unexpected end of the gzip stream"},
			},
			Passed: []report.Passed{{Name: "logs/kubelet.log", Why: "holds no audit event"}},
			Errors: []string{"audit-2026-03-02T12-04-00.000.log.gz: unexpected end of the gzip stream"},
		},
		Overview: analysis.Overview{
			From: at(0), StepSeconds: 256, Requests: []int64{900, 290}, Errors: []int64{3, 0},
			Latency: analysis.OverviewLatency{BoundsMicros: []int64{1000, 1_000_000}, Counts: []int64{1000, 189, 1}},
			Clients: []analysis.OverviewClient{{User: manager.User, UserAgent: manager.UserAgent, SourceIP: manager.SourceIP, Requests: 400, Errors: 1}},
		},
		Notes: []analysis.Note{
			{Kind: "hole", From: at(100), To: at(170), Text: "audit.log is silent"},
			{Kind: "latency-annotations", Text: "slow requests have no latency annotations"},
		},
		Blind: []analysis.Blind{
			{Analyzer: "slow-request", Why: "nothing slow is recorded"},
			{Analyzer: "watch-stall", Why: "nothing slow is recorded"},
			{Analyzer: "auth-failure", Why: "no 401 would be recorded", InPart: true},
		},
		Overflow: map[string]int{"hot-loop": 1200},
		Findings: []analysis.Finding{longSession(), conflict(), possible(), flap, stuck},
	}, report.Options{})
}

func stuckWatch() analysis.Finding {
	s := manager
	s.Resource = "services"
	return analysis.Finding{
		ID: "stuck-watch/0000000a", Analyzer: "stuck-watch", Severity: analysis.Critical, Confidence: analysis.Confirmed, Remedy: "Restart the client.",
		Title: "kube-controller-manager re-watches services from resourceVersion 4711 while services change",
		Count: 3, First: at(10), Last: at(31), Subject: s,
		Details: analysis.Details{"kind": "same-rv", "resourceVersion": "4711", "rounds": 3, "writesInScope": 7},
		Evidence: []analysis.Evidence{
			line(101, 17, audit.StageResponseComplete, "watch services resourceVersion=4711 -> 200 after 7s by system:kube-controller-manager"),
			line(140, 20.5, audit.StageResponseComplete, "create shop/services/tmp -> 201 after 9ms by alice"),
		},
		Marks: []analysis.Mark{
			{Kind: "round", From: at(10), To: at(17), N: 1},
			{Kind: "round", From: at(17), To: at(25), N: 1},
			{Kind: "round", From: at(25), To: at(31), N: 1},
		},
	}
}

func endpointFlap() analysis.Finding {
	s := manager
	s.Resource, s.Namespace, s.Name = "endpoints", "shop", "cart"
	return analysis.Finding{
		ID: "endpoint-flap/0000000b", Analyzer: "endpoint-flap", Severity: analysis.Critical, Confidence: analysis.Confirmed,
		Title: "the endpoints of shop/cart were deleted and created again 3 times", Count: 3, First: at(17.2), Last: at(32.5), Subject: s,
		Details:  analysis.Details{"cycles": 3, "longestOutageSeconds": 1.4},
		Evidence: []analysis.Evidence{line(103, 17.2, audit.StageResponseComplete, "delete shop/endpoints/cart -> 200 after 20ms by system:kube-controller-manager")},
		Marks: []analysis.Mark{
			{Kind: "outage", From: at(17.2), To: at(18), N: 1},
			{Kind: "outage", From: at(25.1), To: at(26.5), N: 1},
			{Kind: "outage", From: at(31.3), To: at(32.5), N: 1},
		},
	}
}

func longSession() analysis.Finding {
	return analysis.Finding{
		ID: "hijacked-latency/0000000c", Analyzer: "hijacked-latency", Severity: analysis.Info, Confidence: analysis.Confirmed,
		Title: "alice had 2 exec sessions in shop/web-0, the longest of 6m40s", Count: 2, First: at(40), Last: at(470),
		Subject:  analysis.Subject{User: "alice", UserAgent: "kubectl/v1.33.1", SourceIP: "192.0.2.7", Resource: "pods", Namespace: "shop", Name: "web-0", Subresource: "exec"},
		Details:  analysis.Details{"sessions": 2, "p50Seconds": 72.4, "p95Seconds": 400.0, "maxSeconds": 400.0, "unfinished": 1, "longestOpenSeconds": 430.0},
		Evidence: []analysis.Evidence{line(400, 470, audit.StageResponseComplete, "get shop/pods/web-0/exec -> 101 after 6m40s by alice")},
		Caveats:  []string{"one session was still open when the log ended"},
	}
}

func conflict() analysis.Finding {
	return analysis.Finding{
		ID: "hot-loop/0000000d", Analyzer: "hot-loop", Severity: analysis.Info, Confidence: analysis.Likely,
		Title: "a controller got 6 conflicts on shop/deployments/web", Count: 6, First: at(60), Last: at(61),
		Subject:  analysis.Subject{User: "system:serviceaccount:ops:tuner", APIGroup: "apps", Resource: "deployments", Namespace: "shop", Name: "web"},
		Evidence: []analysis.Evidence{line(450, 60, audit.StageResponseComplete, "update shop/deployments.apps/web -> 409")},
	}
}

func possible() analysis.Finding {
	return analysis.Finding{
		ID: "heartbeat-gap/0000000e", Analyzer: "heartbeat-gap", Severity: analysis.Warning, Confidence: analysis.Possible, Remedy: "Look at what the nodes share.",
		Title: "node n1 was silent for 1m10s", Count: 1, First: at(100), Last: at(170), Subject: analysis.Subject{Node: "n1"},
		Marks: []analysis.Mark{
			{Kind: "gap", From: at(100), To: at(170), N: 1, Label: "n1"},
			{Kind: "heard", From: at(0), To: at(100), N: 1, Label: "n1"},
			{Kind: "heard", From: at(170), To: at(400), N: 1, Label: "n1"},
		},
		Evidence: []analysis.Evidence{line(500, 170, audit.StageResponseComplete, "update kube-node-lease/leases/n1 -> 200")},
	}
}
