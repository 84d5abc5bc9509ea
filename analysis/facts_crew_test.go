package analysis

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// crew is a log of ten minutes, in which the API server changes the list of
// API servers at t.
func crew(t *testing.T, log string, at float64, more ...*audit.Event) *Facts {
	t.Helper()
	events := append(more, done(t, at, at, "system:apiserver update default/endpoints/kubernetes 200"))
	for i := range 120 {
		events = append(events, done(t, 5*float64(i), 5*float64(i), "alice get shop/pods/web 200"))
	}
	for _, e := range events {
		if e.Log == "audit.log" {
			e.Log = log
		}
	}
	return facts(events...)
}

func TestAnAPIServerWhoseLogIsNotHereIsNoted(t *testing.T) {
	if got := kindsOf(crew(t, "cp1", 300)); got != "other-api-servers" {
		t.Errorf("notes %q", got)
	}
	if got := kindsOf(crew(t, "cp1", 20)); got != "" {
		t.Errorf("at the log's begin, where its own server may have started: %q", got)
	}
	gone := done(t, 290, 290, "alice get shop/pods/web 200")
	gone.Log = "cp2"
	if got := kindsOf(crew(t, "cp1", 300, gone)); got != "" {
		t.Errorf("where another log ends, so that its server left: %q", got)
	}
	refused := done(t, 300, 300, "system:apiserver update default/endpoints/kubernetes 409")
	if got := kindsOf(crew(t, "cp1", 20, refused)); got != "" {
		t.Errorf("where the list was not written: %q", got)
	}
}

func TestNewestVersionsAreThoseThatUpdatesName(t *testing.T) {
	renew := func(at float64, rv string) *audit.Event {
		e := done(t, at, at+0.1, "n1 update kube-node-lease/leases/n1 200")
		e.ObjectRV = audit.View(rv)
		return e
	}
	f := facts(renew(1, "100"), renew(11, "130"), renew(21, "160"))
	if rv, ok := f.NewestWithin(scope("", "leases"), after(0), after(15)); rv != 130 || !ok {
		t.Errorf("newest within 15 s: %d, %v; want 130", rv, ok)
	}
	if rv, ok := f.NewestWithin(scope("", "leases"), after(30), after(40)); ok {
		t.Errorf("newest after the last update: %d", rv)
	}
}
