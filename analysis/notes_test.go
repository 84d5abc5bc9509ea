package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

func kindsOf(f *Facts) string {
	var kinds []string
	for _, n := range f.Notes() {
		kinds = append(kinds, n.Kind)
	}
	return strings.Join(kinds, " ")
}

// watch is a watch of n1 that was received at from and asked for 400 s.
func watch(t *testing.T, from, to float64, stage audit.Stage) *audit.Event {
	t.Helper()
	e := done(t, from, to, "system:node:n1 watch shop/pods 200")
	e.Stage, e.URI = stage, audit.View("/api/v1/pods?resourceVersion=5&timeoutSeconds=400&watch=true")
	e.AuditID = audit.View(fmt.Sprint(from))
	return e
}

func TestALogWithoutEndsIsNoted(t *testing.T) {
	var events []*audit.Event
	for i := range 30 {
		e := done(t, float64(i), float64(i), "alice get shop/pods/web 0")
		e.Stage = audit.StageRequestReceived
		events = append(events, e)
	}
	if got := kindsOf(facts(events...)); got != "no-response-complete" {
		t.Errorf("notes %s", got)
	}
	if got := kindsOf(facts(events[:5]...)); got != "" {
		t.Errorf("five events are noted as %s", got)
	}
	if got := kindsOf(facts(append(events, done(t, 1, 2, "alice get shop/pods/web 200"))...)); got != "" {
		t.Errorf("with one end: %s", got)
	}
}

// probe is an answer to a probe.
func probe(t *testing.T, at float64, path string, code int) *audit.Event {
	e := done(t, at, at, "system:anonymous get / 0")
	e.Namespace, e.Resource, e.URI, e.Code = audit.Sym{}, audit.Sym{}, audit.View(path), code
	return e
}

func TestAServerThatIsNotReadyIsNoted(t *testing.T) {
	before := done(t, 0, 0, "alice get shop/pods/web 200")
	for _, c := range []struct {
		what   string
		events []*audit.Event
		want   string
	}{
		{"two probes", []*audit.Event{before, probe(t, 60, "/readyz?verbose", 500), probe(t, 62, "/livez", 500)}, "not-ready"},
		{"one", []*audit.Event{before, probe(t, 60, "/readyz", 500)}, ""},
		{"two far apart", []*audit.Event{before, probe(t, 60, "/readyz", 500), probe(t, 160, "/readyz", 500)}, ""},
		{"one check", []*audit.Event{before, probe(t, 60, "/readyz/ping", 500), probe(t, 61, "/readyz/ping", 500)}, ""},
		{"well", []*audit.Event{before, probe(t, 60, "/readyz", 200), probe(t, 61, "/readyz", 200)}, ""},
		{"as the log begins", []*audit.Event{before, probe(t, 2, "/readyz", 500), probe(t, 3, "/readyz", 500)}, ""},
	} {
		if got := kindsOf(facts(c.events...)); got != c.want {
			t.Errorf("%s: notes %q, want %q", c.what, got, c.want)
		}
	}
}

func TestCoarseTimesAreNoted(t *testing.T) {
	e := done(t, 1, 2, "alice get shop/pods/web 200")
	e.Coarse = true
	if got := kindsOf(facts(e)); got != "coarse-times" {
		t.Errorf("notes %s", got)
	}
}

func TestSlowRequestsWithoutAnnotationsAreNoted(t *testing.T) {
	var events []*audit.Event
	for i := range 8 {
		events = append(events, done(t, float64(i), float64(i)+2, "alice list shop/pods 200"))
	}
	if got := kindsOf(facts(events...)); got != "no-latency-annotations" {
		t.Errorf("notes %s", got)
	}
	if got := kindsOf(facts(events[:4]...)); got != "" {
		t.Errorf("four slow requests are noted as %s", got)
	}
	events[3].Annotations = []audit.Annotation{{Key: audit.Intern("apiserver.latency.k8s.io/total"), Value: audit.View("2s")}}
	if got := kindsOf(facts(events...)); got != "" {
		t.Errorf("where one is annotated: %s", got)
	}
}

func TestWatchesAreTrustedUnlessTheirStagesContradict(t *testing.T) {
	var healthy, odd []*audit.Event
	for i := range 50 {
		from := float64(10 * i)
		healthy = append(healthy, watch(t, from, from, audit.StageRequestReceived),
			watch(t, from, from+0.1, audit.StageResponseStarted), watch(t, from, from+400, audit.StageResponseComplete))
	}
	for i := range 10 {
		from := float64(10*i) + 5
		odd = append(odd, watch(t, from, from+0.1, audit.StageResponseStarted), watch(t, from, from+0.2, audit.StageResponseStarted))
	}
	twice := append(slices.Clone(healthy), healthy...) // the log read twice
	if f := facts(twice...); !f.WatchesTrusted() {
		t.Error("healthy watches are not trusted")
	}
	if n, of := facts(append(healthy, odd...)...).untrustedWatches(); n != 10 || of != 60 {
		t.Errorf("%d of %d are untrusted, want 10 of 60", n, of)
	}
	if f := facts(append(healthy, odd...)...); f.WatchesTrusted() || kindsOf(f) != "untrusted-watches" {
		t.Errorf("trusted %t, notes %s", f.WatchesTrusted(), kindsOf(f))
	}
	for end, want := range map[float64]int{0.001: 1, 390: 0, 400.01: 0} {
		e := watch(t, 0, end, audit.StageResponseComplete)
		e.Message = audit.View("Connection closed early")
		if n, _ := facts(e).untrustedWatches(); n != want {
			t.Errorf("closed early after %g s: %d untrusted, want %d", end, n, want)
		}
	}
}

// TestWatchesThatEndTogetherAreNoted has 20 nodes, each with a watch.
func TestWatchesThatEndTogetherAreNoted(t *testing.T) {
	cut := func(spread time.Duration, nodes int) *Facts {
		f := NewFacts()
		for i := range 20 {
			e := watch(t, 100+float64(i), 200+spread.Seconds()*float64(i), audit.StageResponseComplete)
			e.User = audit.Intern(fmt.Sprintf("system:node:n%d", i%nodes))
			f.Observe(e, true)
		}
		f.Observe(done(t, 900, 901, "alice get shop/pods/web 200"), true)
		return f
	}
	for _, c := range []struct {
		spread time.Duration
		nodes  int
		want   string
	}{{10 * time.Millisecond, 20, "watches-cut"}, {3 * time.Second, 20, ""}, {10 * time.Millisecond, 2, ""}} {
		f := cut(c.spread, c.nodes)
		if got := kindsOf(f); got != c.want {
			t.Errorf("watches of %d nodes, %v apart: notes %q, want %q", c.nodes, c.spread, got, c.want)
		}
	}
	if text := cut(0, 20).Notes()[0].Text; !strings.HasPrefix(text, "20 watches of many clients in audit.log ended together") {
		t.Errorf("the note is %s", text)
	}
	refused := cut(0, 20)
	for i := range 7 {
		e := watch(t, 200, 200, audit.StageResponseComplete)
		e.User, e.Code = audit.Intern(fmt.Sprint("refused", i)), 403
		refused.Observe(e, true)
	}
	if text := refused.Notes()[0].Text; !strings.HasPrefix(text, "20 watches") {
		t.Errorf("with watches that were refused: %s", text)
	}
	cuts := cut(0, 20).WatchCuts("audit.log")
	if len(cuts) != 1 || cuts[0].Watches != 20 || cuts[0].Clients < 15 || cuts[0].Clients > 25 {
		t.Errorf("cuts %+v", cuts)
	}
}

func TestAHoleThroughWhichARequestWentOnIsOfTheLogAlone(t *testing.T) {
	silent := append(speaks(t, "audit.log", 0, 1800, 2), speaks(t, "audit.log", 1860, 3600, 2)...)
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{1700, 2000, "though its API server was running"},
		{1700, 1799, "its API server was down"},
		{1830, 2000, "its API server was down"},
	} {
		f := facts(append(slices.Clone(silent), watch(t, c.from, c.to, audit.StageResponseComplete))...)
		notes := f.Notes()
		if len(notes) != 1 || notes[0].Kind != "hole" || !strings.Contains(notes[0].Text, c.want) {
			t.Errorf("a watch from %g to %g: notes %v", c.from, c.to, notes)
		}
	}
}
