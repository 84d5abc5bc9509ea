package audit_test

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestAnEventHasOneBitOfEachGroup(t *testing.T) {
	for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy", "post", ""} {
		for _, code := range []int{0, 100, 101, 200, 301, 400, 401, 403, 404, 409, 410, 422, 429, 499, 500, 504, 999, -1} {
			for _, sub := range []string{"", "status", "log", "scale"} {
				for stage := audit.StageUnknown; stage <= audit.StagePanic; stage++ {
					e := event(verb, "pods", sub, "", code)
					e.Stage = stage
					if c := e.Classify(); !c.Valid() || c != e.Class {
						t.Fatalf("%s %d %s %s: class %b", verb, code, sub, stage, c)
					}
				}
			}
		}
	}
}

func TestAPatternHoldsWhatFitsAllOfItsGroups(t *testing.T) {
	read := event("get", "pods", "", "", 404)
	write := event("patch", "nodes", "status", "", 200)
	write.User, write.Name, write.Received = audit.Intern("system:node:n1"), audit.View("n1"), 1
	stream := event("create", "pods", "exec", "", 101)
	for _, c := range []struct {
		what    string
		pattern audit.Class
		want    string // of the three
	}{
		{"everything", 0, "rws"},
		{"a stage", audit.ClassComplete, "rws"},
		{"another stage", audit.ClassReceived | audit.ClassPanic, ""},
		{"one of two verbs", audit.ClassGet | audit.ClassPatch, "rw"},
		{"all verbs but one", audit.ClassGet.Not(), "ws"},
		{"a verb and a code", audit.ClassGet | audit.Class404, "r"},
		{"a verb without its code", audit.ClassGet | audit.Class404.Not(), ""},
		{"what took effect", audit.ClassWrote, "w"},
		{"a node's", audit.ClassNode | audit.ClassNamed | audit.ClassDated, "w"},
		{"a switched connection", audit.ClassSwitched | audit.ClassStream | audit.ClassLong, "s"},
		{"two groups left out", (audit.ClassGet | audit.ClassOK).Not(), "s"},
		{"an audit log", audit.ClassAudit, "rws"},
		{"the server's own log", audit.ClassHTTPLog | audit.ClassLine, ""},
		{"a subresource or none", audit.ClassWhole | audit.ClassStatus, "rw"},
	} {
		got := ""
		for i, e := range []*audit.Event{read, write, stream} {
			if c.pattern.Holds(e.Classify()) {
				got += "rws"[i : i+1]
			}
		}
		if got != c.want {
			t.Errorf("%s holds %q, want %q", c.what, got, c.want)
		}
	}
}

// TestAClassifiedEventAnswersAlike asks both ways what Classify answers
// beforehand.
func TestAClassifiedEventAnswersAlike(t *testing.T) {
	for _, uri := range []string{
		"", "/api/v1/pods", "/api/v1/pods?", "/api/v1/pods?watch=true&resourceVersion=7&timeoutSeconds=30",
		"/api/v1/pods?resourceVersion=0", "/api/v1/pods?resourceVersion=", "/api/v1/pods?resourceVersion=x&resourceVersion=9",
		"/api/v1/pods?resourceVersion=7&sendInitialEvents=true", "/api/v1/pods?resourceVersion=%37&timeoutSeconds=%33",
		"/api/v1/pods?resourceVersion=7&sendInitialEvents=tru%65", "/api/v1/pods?resourceVersion&timeoutSeconds=-1",
		"/api/v1/pods?resourceVersion=18446744073709551616&timeoutSeconds=99999999999", "/api/v1/pods?&&=&x", "/debug/pprof/heap",
		"/api/v1/pods?dryRun=All", "/api/v1/pods?dryRun=",
	} {
		for _, verb := range []string{"watch", "list", "get", "create", "delete"} {
			for _, sub := range []string{"", "log", "status"} {
				resource := "pods"
				if uri == "/debug/pprof/heap" {
					resource = ""
				}
				plain, classified := event(verb, resource, sub, uri, 200), event(verb, resource, sub, uri, 200)
				classified.Classify()
				if got, want := answers(classified), answers(plain); got != want {
					t.Errorf("%s %s %s: got %v, want %v", verb, sub, uri, got, want)
				}
			}
		}
	}
}

type answered struct {
	long, wrote, initial, more, positioned, limited bool
	rv                                              uint64
	timeout                                         int64
	fields, labels                                  string
}

func answers(e *audit.Event) (a answered) {
	a.long, a.wrote, a.initial = e.LongRunning(), e.Wrote(), e.InitialEvents()
	a.rv, a.positioned = e.ResourceVersion()
	timeout, limited := e.TimeoutSeconds()
	a.timeout, a.limited = int64(timeout), limited
	asked := e.Asked()
	a.more, a.fields, a.labels = asked.Continue, string(asked.Fields), string(asked.Labels)
	return a
}

func TestSelectorsStandAsTheyDoInTheQuery(t *testing.T) {
	e := event("watch", "pods", "", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&labelSelector=app%3Dweb&fieldSelector=x&continue=abc", 200)
	e.Classify()
	asked := e.Asked()
	if string(asked.Fields) != "spec.nodeName%3Dn1" || string(asked.Labels) != "app%3Dweb" || !asked.Continue {
		t.Errorf("got fields %s, labels %s, continue %t", asked.Fields, asked.Labels, asked.Continue)
	}
}
