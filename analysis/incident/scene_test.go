package incident_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// found is a finding of an analyzer about a client, seen from and to these
// seconds.
func found(analyzer, user, ip, from, to string, severity analysis.Severity, details analysis.Details) analysis.Finding {
	return analysis.Finding{
		ID: analyzer + "/" + user + from, Analyzer: analyzer, Severity: severity, Confidence: analysis.Likely, Count: 12,
		Title: analyzer + " of " + user, First: seconds(from), Last: seconds(to),
		Subject: analysis.Subject{User: user, SourceIP: ip}, Details: details,
	}
}

// moved is a finding that was seen so many seconds later.
func moved(f analysis.Finding, by float64) analysis.Finding {
	micros := audit.Time(by * 1e6)
	return with(f, func(f *analysis.Finding) {
		f.First, f.Last = f.First+micros, f.Last+micros
		f.Marks = slices.Clone(f.Marks)
		for i := range f.Marks {
			f.Marks[i].From, f.Marks[i].To = f.Marks[i].From+micros, f.Marks[i].To+micros
		}
	})
}

// cast are the findings of which scenes are made, by name.
func cast() map[string]analysis.Finding {
	all := map[string]analysis.Finding{
		"timeouts": found("request-timeout", "ci-bot", "10.0.3.1", "100", "160", analysis.Warning, analysis.Details{"maxSeconds": 34.0, "timeoutSeconds": 60.0}),
		"lease":    found("lease-lost", "operator", "10.0.3.2", "97", "140", analysis.Warning, analysis.Details{"cause": "errors"}),
		"beats":    found("heartbeat-gap", "", "", "95", "160", analysis.Warning, analysis.Details{"pattern": "many-nodes", "failing": true}),
		"hook":     found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "webhook", "webhook": "labels.corp"}),
		"leader":   found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "storage", "messages": []string{"etcdserver: leader changed"}}),
		"full":     found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "storage", "messages": []string{"etcdserver: mvcc: database space exceeded"}}),
		"slowHook": found("slow-request", "", "", "130", "160", analysis.Warning, analysis.Details{"cause": "webhook", "webhook": "labels.corp", "failed": 40, "failedOpen": 0, "maxSeconds": 30.0}),
		"kubelets": found("auth-failure", "", "", "100", "900", analysis.Warning, analysis.Details{"members": 12, "asked": []string{"update leases"}}),
		"tokens":   found("auth-failure", "", "", "100", "900", analysis.Warning, analysis.Details{"members": 12, "asked": []string{"create serviceaccounts/token"}}),
		"gone":     found("heartbeat-gap", "", "", "95", "900", analysis.Critical, analysis.Details{"pattern": "never-returned"}),
		"storm":    found("watch-expiry", "", "", "100", "103", analysis.Warning, analysis.Details{"kind": "storm", "clients": 25, "restart": true}),
		"cut":      found("hijacked-latency", "alice", "10.0.3.7", "10", "95", analysis.Info, analysis.Details{"cutByRestart": 2, "restarts": []string{seconds("95").String()}}),
		"silent":   found("heartbeat-gap", "", "10.0.0.100", "100", "160", analysis.Critical, analysis.Details{"pattern": "many-nodes"}),
		"gap":      found("heartbeat-gap", "", "", "100", "160", analysis.Warning, analysis.Details{"pattern": "single-node"}),
		"sessions": found("hijacked-latency", "bob", "10.0.0.100", "90", "150", analysis.Warning, analysis.Details{}),
		"loop":     found("hot-loop", "argo", "10.0.2.1", "100", "200", analysis.Warning, nil),
		"refused":  found("throttling", "ci-bot", "10.0.2.2", "120", "180", analysis.Warning, analysis.Details{"pressure": "ci-bot", "pressureRequests": 60}),
		"queued":   found("slow-request", "ci-bot", "10.0.2.2", "121", "180", analysis.Warning, analysis.Details{"cause": "apf-queue-wait"}),
		"loops":    found("stuck-watch", "app", "10.0.2.3", "100", "200", analysis.Warning, analysis.Details{"kind": "tight-loop"}),
		"expired":  found("watch-expiry", "app", "10.0.2.3", "100", "200", analysis.Warning, analysis.Details{"kind": "expired"}),
		"lists":    found("watch-expiry", "app", "10.0.2.3", "101", "200", analysis.Warning, analysis.Details{"kind": "list-loop"}),
		"idle":     found("hijacked-latency", "alice", "10.0.3.7", "100", "200", analysis.Warning, analysis.Details{"cutAtSeconds": 60.0}),
		"stalled":  found("watch-stall", "dash", "10.0.3.9", "100", "200", analysis.Critical, analysis.Details{"kind": "overdue"}),
		"pile":     found("watch-stall", "dash", "10.0.3.9", "101", "200", analysis.Warning, analysis.Details{"kind": "pile"}),
		"stuck":    stuck("services", manager, "0-7 7-15"),
		"flapA":    flap("a/a", manager, "1-2"),
		"flapB":    flap("a/b", manager, "1-2"),
		"flapC":    flap("a/c", manager, "2-3"),
	}
	but := func(name string, change func(*analysis.Finding)) { all[name] = with(all[name], change) }
	but("timeouts", func(f *analysis.Finding) { f.Marks = marks("timeout", "134-134 136-136 160-160") })
	but("lease", func(f *analysis.Finding) { f.Marks = marks("lapse", "97-140") })
	but("beats", func(f *analysis.Finding) { f.Marks = marks("failing", "95-150 95-160") })
	but("cut", func(f *analysis.Finding) { f.Marks = marks("open", "10-15 20-25") }) // the API server was away until 95
	but("kubelets", func(f *analysis.Finding) { f.Subject.UserAgent = "kubelet/v1.31.4" })
	but("tokens", func(f *analysis.Finding) { f.Subject.UserAgent = "kubelet/v1.31.4" })
	but("gap", func(f *analysis.Finding) { f.Subject.Node = "node-7" })
	but("gone", func(f *analysis.Finding) { f.Count = 6 })
	all["forbidden"] = with(all["lease"], func(f *analysis.Finding) {
		f.Details["messages"] = []string{`leases "operator" is forbidden: no RBAC policy matched`}
	})
	return all
}

// scene makes findings of a text such as "timeouts + lease by=-10 cause=silence": names of
// the cast, each with changes. by=SECONDS moves it; to=SECOND is when it ends; user=, ip=, node= and resource= are of its
// subject; marks=KIND:SPAN,SPAN are its marks; any other NAME=VALUE is a detail. changes has
// what a word alone means.
func scene(t *testing.T, text string) (findings []analysis.Finding) {
	t.Helper()
	actors := cast()
	for i, part := range strings.Split(text, " + ") {
		words := strings.Fields(part)
		actor, known := actors[words[0]]
		if !known {
			t.Fatalf("%s: the cast has no %q", text, words[0])
		}
		f := with(actor, func(f *analysis.Finding) { f.ID = fmt.Sprintf("%s/%d", f.Analyzer, i) })
		if f.Details == nil {
			f.Details = analysis.Details{}
		}
		for _, word := range words[1:] {
			name, value, set := strings.Cut(word, "=")
			if !set {
				change, known := changes[word]
				if !known {
					t.Fatalf("%s: %q means no change", text, word)
				}
				change(&f)
				continue
			}
			switch name {
			case "by":
				by, _ := strconv.ParseFloat(value, 64)
				f = moved(f, by)
			case "to":
				f.Last = seconds(value)
			case "user":
				f.Subject.User = value
			case "ip":
				f.Subject.SourceIP = value
			case "resource":
				f.Subject.Resource = value
			case "node":
				f.Subject.Node = value
			case "marks":
				kind, spans, _ := strings.Cut(value, ":")
				f.Marks = marks(kind, strings.ReplaceAll(spans, ",", " "))
			default:
				f.Details[name] = value
				var v any
				if json.Unmarshal([]byte(value), &v) == nil {
					f.Details[name] = v // a number, or a truth
				}
			}
		}
		findings = append(findings, f)
	}
	return findings
}

// changes are what words of a scene do to a finding.
var changes = map[string]func(*analysis.Finding){
	"info":      func(f *analysis.Finding) { f.Severity = analysis.Info },
	"possible":  func(f *analysis.Finding) { f.Confidence = analysis.Possible },
	"bare":      func(f *analysis.Finding) { f.Details = analysis.Details{} },
	"unfailing": func(f *analysis.Finding) { delete(f.Details, "failing") },
	"acme":      func(f *analysis.Finding) { f.Subject.UserAgent, f.Subject.Resource = "acme/1.2 (linux)", "services" },
	"other":     func(f *analysis.Finding) { f.Subject.UserAgent = "other/1" },
	"far":       func(f *analysis.Finding) { f.Subject.SourceIP = "10.9.9.9" },
	"argos":     func(f *analysis.Finding) { f.Subject = cast()["loop"].Subject },
}
