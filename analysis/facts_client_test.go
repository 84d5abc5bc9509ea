package analysis

import (
	"fmt"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// fourRequests are of three clients; bob was not known, at 130 s.
func fourRequests(t *testing.T) *Facts {
	t.Helper()
	received := done(t, 0, 0, "alice list shop/pods 0")
	received.Stage = audit.StageRequestReceived
	watch := done(t, 5, 6, "alice watch shop/pods 200")
	watch.Stage = audit.StageResponseStarted
	refused := done(t, 130, 131, "bob list shop/pods 401")
	refused.Stage = audit.StageResponseStarted
	f := facts(received, done(t, 0, 1, "alice list shop/pods 200"), watch, refused,
		done(t, 130, 132, "alice get shop/pods/web 404"), done(t, 3, 4, "carol get shop/pods/web 200"))
	f.Observe(done(t, 3, 4, "dave get shop/pods/web 200"), false) // left out by --where
	return f
}

func TestClientsAreCountedOnceARequest(t *testing.T) {
	f := fourRequests(t)
	text := func(top []ClientCount, all bool) string {
		s := ""
		for _, c := range top {
			s += fmt.Sprintf("%s %d %d, ", c.Client.User, c.Requests, c.Errors)
		}
		return fmt.Sprint(s, all)
	}
	if got, want := text(f.topClients(9)), "alice 2 1, bob 1 1, carol 1 0, true"; got != want {
		t.Errorf("top %s, want %s", got, want)
	}
	if got, want := text(f.ClientsWithin(after(0), after(10), 1)), "alice 1 0, true"; got != want {
		t.Errorf("first minute: %s, want %s", got, want)
	}
}

func TestAClientIsHeardToTheMinute(t *testing.T) {
	f := fourRequests(t)
	bob := Client{User: audit.Intern("bob"), UserAgent: audit.Intern("bob/v1.30.0"), SourceIP: audit.Intern("10.0.0.7")}
	for _, c := range []struct {
		from, to float64
		want     bool
	}{{0, 119, false}, {0, 120, true}, {150, 170, true}, {180, 240, false}} {
		if got := f.Heard(bob, after(c.from), after(c.to)); got != c.want {
			t.Errorf("bob heard from second %g to %g: %t, want %t", c.from, c.to, got, c.want)
		}
	}
}

func TestAnOverviewHasRequestsErrorsAndLatencies(t *testing.T) {
	v := fourRequests(t).Overview()
	requests, failed := int64(0), int64(0)
	for i := range v.Requests {
		requests, failed = requests+v.Requests[i], failed+v.Errors[i]
	}
	if requests != 4 || failed != 2 || v.From != after(1) || v.StepSeconds != 1 || len(v.Requests) != 132 || len(v.Clients) != 3 {
		t.Errorf("overview %+v", v)
	}
	if n := v.Latency.Counts[9]; v.Latency.BoundsMicros[9] != 1_000_000 || n != 2 {
		t.Errorf("%d requests took up to 1 s, want 2: %+v", n, v.Latency)
	}
}

func TestAnOverviewOfALogWithALongPauseHasLongSteps(t *testing.T) {
	f := facts(done(t, 0, 0, "alice get shop/pods/web 200"), done(t, 1e6, 1e6, "alice get shop/pods/web 404"))
	f.Observe(&audit.Event{Log: "audit.log", Stage: audit.StageResponseComplete}, true) // without a time
	v := f.Overview()
	n := len(v.Requests)
	if n > maxOverviewSteps || n < maxOverviewSteps/3 || v.From != after(0) || v.Requests[0] != 1 || v.Errors[n-1] != 1 {
		t.Errorf("%d steps of %d s from %v: %v", n, v.StepSeconds, v.From, v.Requests)
	}
	if end := v.From.Add(time.Duration(v.StepSeconds) * time.Second * time.Duration(n)); end < after(1e6) {
		t.Errorf("the steps end at %v", end)
	}
	if len(latencyBounds)+1 != len(v.Latency.Counts) {
		t.Errorf("%d bounds for %d counts", len(latencyBounds), len(v.Latency.Counts))
	}
	if v := facts().Overview(); v.From != 0 || len(v.Requests) != 0 || v.Clients == nil {
		t.Errorf("of nothing: %+v", v)
	}
}
