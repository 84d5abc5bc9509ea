package audit_test

import (
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

func event(verb, resource, sub, uri string, code int) *audit.Event {
	return &audit.Event{
		Stage: audit.StageResponseComplete, Verb: audit.Intern(verb), Resource: audit.Intern(resource),
		Subresource: audit.Intern(sub), URI: audit.View(uri), Code: code,
	}
}

func TestLongRunningIsWhatTheAPIServerExemptsFromItsTimeout(t *testing.T) {
	for _, c := range []struct {
		verb, resource, sub, uri string
		want                     bool
	}{
		{"watch", "pods", "", "/api/v1/pods?watch=true", true},
		{"get", "pods", "log", "/api/v1/namespaces/shop/pods/web/log", true},
		{"create", "pods", "exec", "/api/v1/namespaces/shop/pods/web/exec", true},
		{"get", "pods", "attach", "", true},
		{"get", "pods", "portforward", "", true},
		{"get", "services", "proxy", "", true},
		{"get", "", "", "/debug/pprof/profile?seconds=30", true},
		{"get", "", "", "/readyz", false},
		{"list", "pods", "", "/api/v1/pods", false},
		{"patch", "pods", "status", "", false},
		{"create", "pods", "eviction", "", false},
	} {
		if got := event(c.verb, c.resource, c.sub, c.uri, 200).LongRunning(); got != c.want {
			t.Errorf("%s %s/%s %s: long-running %t, want %t", c.verb, c.resource, c.sub, c.uri, got, c.want)
		}
	}
}

func TestWroteNeedsAnAnswerOf2xxToAWrite(t *testing.T) {
	for _, c := range []struct {
		verb, resource, sub, uri string
		code                     int
		want                     bool
	}{
		{"create", "endpoints", "", "", 201, true},
		{"create", "endpoints", "", "", 409, false},
		{"delete", "endpoints", "", "", 200, true},
		{"delete", "endpoints", "", "", 404, false},
		{"deletecollection", "pods", "", "", 200, true},
		{"patch", "nodes", "status", "", 200, true},
		{"get", "endpoints", "", "", 200, false},
		{"create", "pods", "exec", "", 101, false},
		{"create", "services", "proxy", "", 200, false},
		{"create", "", "", "/apis", 200, false},
		{"create", "pods", "", "/api/v1/namespaces/shop/pods?dryRun=All", 201, false},
	} {
		if got := event(c.verb, c.resource, c.sub, c.uri, c.code).Wrote(); got != c.want {
			t.Errorf("%s %s/%s %d %s: wrote %t, want %t", c.verb, c.resource, c.sub, c.code, c.uri, got, c.want)
		}
	}
	received := event("create", "endpoints", "", "", 201)
	received.Stage = audit.StageRequestReceived
	if received.Wrote() {
		t.Error("RequestReceived says that a write took effect")
	}
}

func TestAWebSocketWatchIsNotHijacked(t *testing.T) {
	if event("watch", "pods", "", "", 101).Hijacked() {
		t.Error("a watch with code 101 counts as hijacked")
	}
	if !event("get", "pods", "exec", "", 101).Hijacked() {
		t.Error("an exec over a WebSocket (verb get, code 101) does not count as hijacked")
	}
	if event("create", "pods", "exec", "", 404).Hijacked() {
		t.Error("an exec answered 404 counts as hijacked")
	}
}

func TestTheActorIsWhomTheUserImpersonates(t *testing.T) {
	e := audit.Event{User: audit.Intern("alice")}
	if got := e.Actor().String(); got != "alice" {
		t.Errorf("actor %q, want alice", got)
	}
	e.As = audit.Intern("carol")
	if got := e.Actor().String(); got != "carol" {
		t.Errorf("actor %q, want carol", got)
	}
}

func TestTheClientIPIsTheOneAClientCannotForge(t *testing.T) {
	e := audit.Event{SourceIPs: []audit.Sym{audit.Intern("203.0.113.9"), audit.Intern("10.0.0.100"), audit.Intern("10.0.3.7")}}
	if got := e.ClientIP().String(); got != "10.0.3.7" {
		t.Errorf("client IP %q, want the last, 10.0.3.7", got)
	}
	if got := new(audit.Event).ClientIP().String(); got != "" {
		t.Errorf("client IP of no source IPs: %q", got)
	}
}

func TestParam(t *testing.T) {
	const uri = "/api/v1/services?fieldSelector=metadata.name%3Dnever-there&resourceVersion=241&flag&empty=&a=1&a=2&bad=%zz&plus=a+b"
	for _, c := range []struct{ name, want string }{
		{"fieldSelector", "metadata.name=never-there"},
		{"resourceVersion", "241"},
		{"Version", ""},
		{"flag", ""},
		{"empty", ""},
		{"a", "1"},
		{"bad", "%zz"},
		{"plus", "a b"},
		{"absent", ""},
	} {
		e := audit.Event{URI: audit.View(uri)}
		if got := e.Param(c.name).String(); got != c.want {
			t.Errorf("Param(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := (&audit.Event{URI: audit.View("/api")}).Param("a"); got != nil {
		t.Errorf("Param of a URI without query: %q", got)
	}
}

func TestZeroAndAbsentResourceVersionsAreNoPositions(t *testing.T) {
	for uri, want := range map[string]uint64{
		"/api/v1/pods?resourceVersion=376":                  376,
		"/api/v1/pods?resourceVersion=0":                    0,
		"/api/v1/pods?resourceVersion=":                     0,
		"/api/v1/pods":                                      0,
		"/api/v1/pods?resourceVersion=x1":                   0,
		"/api/v1/pods?resourceVersion=18446744073709551616": 0,
	} {
		e := audit.Event{URI: audit.View(uri)}
		if got, ok := e.ResourceVersion(); got != want && ok || ok != (want != 0) {
			t.Errorf("%s: resourceVersion %d, %t; want %d", uri, got, ok, want)
		}
	}
}

func TestInitialEvents(t *testing.T) {
	for uri, want := range map[string]bool{
		"/p?watch=true":                   true,
		"/p?resourceVersion=0&watch=true": true,
		"/p?resourceVersion=7&watch=true": false,
		"/p?resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true":    true,
		"/p?resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=false&x": false,
	} {
		if got := (&audit.Event{URI: audit.View(uri)}).InitialEvents(); got != want {
			t.Errorf("%s: initial events %t, want %t", uri, got, want)
		}
	}
}

func TestLatencyNeedsAnEndAndFineStamps(t *testing.T) {
	e := event("get", "pods", "", "", 200)
	e.Received, e.At = 1_000_000, 3_500_000
	if d, ok := e.Latency(); !ok || d != 2500*time.Millisecond {
		t.Errorf("latency %s, %t; want 2.5s", d, ok)
	}
	e.Coarse = true
	if _, ok := e.Latency(); ok {
		t.Error("an event in whole seconds has a latency")
	}
	e.Coarse, e.Stage = false, audit.StageResponseStarted
	if _, ok := e.Latency(); ok {
		t.Error("ResponseStarted has a latency")
	}
}

func TestSummaryLeavesTheQueryOut(t *testing.T) {
	e := event("create", "pods", "exec", "/api/v1/namespaces/shop/pods/web/exec?command=login&command=hunter2", 101)
	e.Namespace, e.Name, e.User = audit.Intern("shop"), audit.View("web"), audit.Intern("alice")
	e.Received, e.At = 1_000_000, 3_500_000
	if got, want := e.Summary(), "create shop/pods/web/exec -> 101 after 2.5s by alice"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	plain := event("get", "", "", "/healthz?token=hunter2", 200)
	if got, want := plain.Summary(), "get /healthz -> 200"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
