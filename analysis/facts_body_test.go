package analysis_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

func TestABodyTellsHowFarAScopeIs(t *testing.T) {
	const body = `"requestObject":{"metadata":{"resourceVersion":"9999"}},"responseObject":{"kind":"Service","apiVersion":"v1",` +
		`"metadata":{"name":"web","uid":"u","resourceVersion":"812","labels":{"a":"b"}},"spec":{}}`
	for _, c := range []struct {
		what  string
		level audit.Level
		raw   string
		want  bool
	}{
		{"the whole body", audit.LevelRequestResponse, `{` + body + `}`, true},
		{"no body", audit.LevelMetadata, `{` + body + `}`, false},
		{"a body that was cut off", audit.LevelRequestResponse, `{"responseObject":{"metadata":{"name":"web","resourceVersion":"81`, false},
		{"a request's body alone", audit.LevelRequestResponse, `{"requestObject":{"metadata":{"resourceVersion":"812"}}}`, false},
		{"a status for an answer", audit.LevelRequestResponse, `{"responseObject":{"kind":"Status","metadata":{},"code":200}}`, false},
	} {
		facts := analysis.NewFacts()
		services := audit.Intern("services")
		facts.Observe(&audit.Event{
			Stage: audit.StageResponseComplete, Verb: audit.VerbPatch, Code: 200, Received: 10, At: 20,
			Resource: services, Namespace: audit.Intern("shop"), Name: audit.View("web"), Level: c.level, Raw: audit.View(c.raw),
		}, true)
		scope := analysis.Scope{Resource: services}
		if got := facts.BeyondWithin(scope, 811, 0, 30); got != c.want {
			t.Errorf("%s: beyond 811: got %v, want %v", c.what, got, c.want)
		}
		if facts.BeyondWithin(scope, 812, 0, 30) || facts.BeyondWithin(scope, 811, 0, 19) {
			t.Errorf("%s: it is beyond where it is, or before it got there", c.what)
		}
	}
}

// TestAWriteWithoutVersionsCostsNoAllocation: so are most, and hot-loop asks of each.
func TestAWriteWithoutVersionsCostsNoAllocation(t *testing.T) {
	e := audit.Event{Level: audit.LevelMetadata, Verb: audit.VerbPatch}
	if n := testing.AllocsPerRun(100, func() { analysis.VersionOf(&e) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
