package endpointflap

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

const start = audit.Time(1_767_600_000_000_000)

// write is a write of the endpoints store/web that took effect.
func write(verb string, at audit.Time) *audit.Event {
	return &audit.Event{
		Source: "audit.log", Offset: int64(at), Stage: audit.StageResponseComplete, Verb: audit.Intern(verb), Code: 200,
		User: audit.Intern("keeper"), Resource: resEndpoints, Namespace: audit.Intern("store"), Name: audit.View("web"),
		AuditID: audit.View(fmt.Sprint(at)), Received: at, At: at + 1000,
	}
}

func TestAHundredThousandCyclesStayBoundedAndCounted(t *testing.T) {
	const cycles = 100_000
	s := newState()
	for n := range audit.Time(cycles) {
		s.Observe(write("delete", start+n*3_000_000))
		s.Observe(write("create", start+n*3_000_000+500_000))
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 500_000 {
		t.Errorf("%d bytes are kept", len(raw))
	}
	fl := s.Endpoints.walk(func(*Move) bool { return false }, &s.Service)
	if fl.count() != cycles || fl.total != cycles/2*time.Second || fl.open != nil {
		t.Errorf("%d cycles of %s in all, open: %v; want %d of %s", fl.count(), fl.total, fl.open != nil, cycles, cycles/2*time.Second)
	}
}

func TestAnUpdateCostsNoAllocation(t *testing.T) {
	s := newState()
	e := write("update", start)
	s.Observe(e)
	if n := testing.AllocsPerRun(100, func() { s.Observe(e) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestKeysAreOfWritesThatTookEffect(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*audit.Event)
		key    string
	}{
		{"endpoints", func(*audit.Event) {}, "store/web"},
		{"a Service", func(e *audit.Event) { e.Resource = resServices }, "store/web"},
		{"a slice", func(e *audit.Event) {
			e.Resource, e.Group, e.Name = resSlices, groupSlices, audit.View("web-x7k2p")
		}, "store/web"},
		{"a slice with a name of its own", func(e *audit.Event) {
			e.Resource, e.Group, e.Name = resSlices, groupSlices, audit.View("web-primary")
		}, "store/web-primary"},
		{"another's endpoints", func(e *audit.Event) { e.Group = audit.Intern("cilium.io") }, ""},
		{"a subresource", func(e *audit.Event) { e.Subresource = audit.SubStatus }, ""},
		{"nothing to delete", func(e *audit.Event) { e.Code = 404 }, ""},
		{"a dry run", func(e *audit.Event) { e.URI = audit.View("/api/v1/namespaces/store/endpoints/web?dryRun=All") }, ""},
		{"the receipt", func(e *audit.Event) { e.Stage = audit.StageRequestReceived }, ""},
		{"a read", func(e *audit.Event) { e.Verb = audit.VerbGet }, ""},
	} {
		e := write("delete", start)
		c.change(e)
		got := ""
		for _, key := range New().KeysOf(e, nil) {
			got += key.Namespace.String() + "/" + key.Name
		}
		if got != c.key {
			t.Errorf("%s: got key %q, want %q", c.name, got, c.key)
		}
	}
}
