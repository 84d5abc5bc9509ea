package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// noon is when the tests' logs begin.
var noon = audit.TimeOf(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC))

func after(seconds float64) audit.Time { return noon + audit.Time(seconds*1e6) }

// done is a request that was answered, in short: "alice create shop/pods/web 201",
// received at from and complete at to, in seconds after noon.
func done(t testing.TB, from, to float64, text string) *audit.Event {
	t.Helper()
	var user, verb, target string
	var code int
	if _, err := fmt.Sscan(text, &user, &verb, &target, &code); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	parts := append(strings.Split(target, "/"), "")
	return &audit.Event{
		Log: "audit.log", Source: "audit.log", Offset: int64(to * 1e6), AuditID: audit.View(fmt.Sprint(from, text)),
		Level: audit.LevelMetadata, Stage: audit.StageResponseComplete, Code: code,
		User: audit.Intern(user), UserAgent: audit.Intern(user + "/v1.30.0"), SourceIPs: []audit.Sym{audit.Intern("10.0.0.7")},
		Verb: audit.Intern(verb), Namespace: audit.Intern(parts[0]), Resource: audit.Intern(parts[1]),
		Name: audit.View(parts[2]), URI: audit.View("/api/v1/namespaces/" + target), Received: after(from), At: after(to),
	}
}

func facts(events ...*audit.Event) *Facts {
	f := NewFacts()
	for _, e := range events {
		f.Observe(e, true)
	}
	return f
}

func scope(namespace, resource string) Scope {
	return Scope{Namespace: audit.Intern(namespace), Resource: audit.Intern(resource)}
}

func TestWritesAreCountedByScopeFromReceiptToCompletion(t *testing.T) {
	conflict := done(t, 12, 13, "bob update shop/pods/web 409")
	status := done(t, 14, 15, "bob update shop/pods/web 200")
	status.Subresource, status.ObjectRV = audit.SubStatus, audit.View("570")
	f := facts(
		done(t, 1, 2, "alice create shop/pods/web 201"),
		done(t, 3, 4, "alice create shop/pods/web 409"),
		done(t, 5, 6, "bob delete shop/pods/web 200"),
		done(t, 7, 8, "bob delete shop/pods/web 404"),
		done(t, 9, 10, "carol deletecollection play/pods 200"),
		done(t, 9, 10, "carol get play/pods/db 200"),
		conflict, status,
	)
	for _, ask := range []struct {
		namespace        string
		from, to         float64
		changes, updates int
	}{
		{"shop", 0, 20, 2, 1},
		{"play", 0, 20, 0, 1},
		{"", 0, 20, 2, 2},
		{"none", 0, 20, 0, 0},
		{"shop", 1.5, 20, 1, 1},
		{"shop", 0, 5.5, 1, 0},
		{"", 5, 10, 1, 1},
	} {
		s := scope(ask.namespace, "pods")
		changes, updates := f.ChangesWithin(s, after(ask.from), after(ask.to)), f.UpdatesWithin(s, after(ask.from), after(ask.to))
		if changes != ask.changes || updates != ask.updates {
			t.Errorf("%q from %g to %g: %d changes and %d updates, want %d and %d",
				ask.namespace, ask.from, ask.to, changes, updates, ask.changes, ask.updates)
		}
	}
	if n := f.NamedChangesWithin(scope("shop", "pods"), "web", after(0), after(20)); n != 2 {
		t.Errorf("web was changed %d times, want 2", n)
	}
	if n := f.NamedChangesWithin(scope("shop", "pods"), "db", after(0), after(20)); n != 0 {
		t.Errorf("db was changed %d times, want 0", n)
	}
	if !f.BeyondWithin(scope("", "pods"), 569, after(14), after(15)) || f.BeyondWithin(scope("", "pods"), 570, after(0), after(20)) ||
		f.BeyondWithin(scope("shop", "pods"), 569, after(0), after(13)) {
		t.Error("the version that an update names is not found, or found where it is not")
	}
	if f.WritesOf(scope("shop", "pods")) != 3 {
		t.Errorf("%d writes in shop, want 3", f.WritesOf(scope("shop", "pods")))
	}
}

func TestAnEvictionDeletes(t *testing.T) {
	e := done(t, 1, 2, "drainer create shop/pods/web 201")
	e.Subresource = audit.Intern("eviction")
	f := facts(e)
	if n := f.ChangesWithin(scope("shop", "pods"), after(0), after(3)); n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
	if d, ok := f.LastDelete(scope("shop", "pods"), after(3)); !ok || d.Name != "web" {
		t.Errorf("last delete %v %t", d, ok)
	}
}

func TestTheLastDeleteBeforeATimeHasItsActor(t *testing.T) {
	var events []*audit.Event
	for i := range 200 { // more than there are cells
		text := fmt.Sprintf("user-%d delete shop/services/svc-%d 200", i%7, i)
		events = append(events, done(t, float64(100*i), float64(100*i+1), text))
	}
	f := facts(events...)
	if _, ok := f.LastDelete(scope("", "services"), after(0)); ok {
		t.Error("a delete is found before the first")
	}
	d, ok := f.LastDelete(scope("", "services"), after(1e6))
	if want := "user-3 svc-199"; !ok || d.Client.User.String()+" "+d.Name != want {
		t.Errorf("the last is by %s of %s, want %s", d.Client.User, d.Name, want)
	}
	if diff := cmp.Diff(events[199].Ref(), d.Ref); diff != "" || d.Received != after(19900) || d.Verb != "delete" {
		t.Errorf("reference (-want +got):\n%s", diff)
	}
	for _, s := range []float64{501, 5050, 12345} {
		d, ok := f.LastDelete(scope("shop", "services"), after(s))
		if !ok || d.At > after(s) || after(s).Sub(d.At) > 30*time.Minute { // a cell of a sixteenth
			t.Errorf("before %g: %v %t", s, d.At, ok)
		}
	}
}

func TestOneWriterIsToldFromSeveral(t *testing.T) {
	alice := Client{audit.Intern("alice"), audit.Intern("alice/v1.30.0"), audit.Intern("10.0.0.7")}
	none := facts(done(t, 0, 1, "bob list shop/pods 200"), done(t, 0, 1, "bob create shop/pods/web 403"))
	if got, all := none.AllWriters(); !all || len(got) != 0 {
		t.Errorf("writers of a log without writes: %v, all %t", got, all)
	}
	one := facts(done(t, 0, 1, "alice create shop/pods/web 201"), done(t, 2, 3, "alice delete shop/pods/web 200"))
	if got, all := one.AllWriters(); !all || !slices.Equal(got, []Client{alice}) {
		t.Errorf("writers %v, all %t, want alice alone", got, all)
	}
	many := facts()
	for i := range 2 * maxWriters {
		many.Observe(done(t, 0, 1, fmt.Sprintf("user-%d create shop/pods/web 201", i)), true)
	}
	many.Observe(done(t, 0, 1, "alice create play/pods/web 201"), true)
	if _, all := many.AllWriters(); all {
		t.Error("too many writers are told apart")
	}
	if got, all := many.Writers(scope("play", "pods")); !all || !slices.Equal(got, []Client{alice}) {
		t.Errorf("writers in play: %v, all %t", got, all)
	}
	if _, all := many.Writers(scope("shop", "pods")); all {
		t.Error("too many writers of a scope are told apart")
	}
	if got, all := many.Writers(scope("none", "pods")); !all || len(got) != 0 {
		t.Errorf("writers where nothing was written: %v, all %t", got, all)
	}
}

func TestANamespacesDeletionIsFound(t *testing.T) {
	f := facts(
		done(t, 1, 2, "alice delete shop/namespaces/shop 200"),
		done(t, 3, 4, "alice delete shop/namespaces/shop 404"),
		done(t, 5, 6, "alice delete play/pods/web 200"),
	)
	if got, all := f.NamespaceDeleted("shop"); !all || !slices.Equal(got, []tally.Interval{{From: after(1), To: after(2)}}) {
		t.Errorf("got %v, all %t", got, all)
	}
	if got, all := f.NamespaceDeleted("play"); !all || len(got) != 0 {
		t.Errorf("play was deleted: %v, all %t", got, all)
	}
}

func TestTheNamespaceControllerShowsThatANamespaceIsDeleted(t *testing.T) {
	const controller = "system:serviceaccount:kube-system:namespace-controller"
	ended := done(t, 3, 4, controller+" update shop/namespaces/shop 200")
	ended.Subresource = audit.Intern("finalize")
	f := facts(
		done(t, 1, 2, controller+" deletecollection shop/services 200"), ended,
		done(t, 5, 6, "alice deletecollection play/services 200"),
		done(t, 7, 8, controller+" update play/namespaces/play 200"),
	)
	if got, _ := f.NamespaceDeleted("shop"); !slices.Equal(got, []tally.Interval{{From: after(1), To: after(2)}, {From: after(3), To: after(4)}}) {
		t.Errorf("got %v", got)
	}
	if got, _ := f.NamespaceDeleted("play"); len(got) != 0 {
		t.Errorf("play was deleted: %v", got)
	}
}

func TestDeletionsOfManyNamespacesAreKept(t *testing.T) {
	f := facts()
	for i := range 2 * maxDeletedNamespaces {
		from, to := float64(i), float64(i+1)
		f.Observe(done(t, from, to, fmt.Sprintf("ci delete run-%d/namespaces/run-%d 200", i, i)), true)
		f.Observe(done(t, from, to, "ci delete e2e/namespaces/e2e 200"), true)
	}
	again, _ := f.NamespaceDeleted("e2e")
	if len(again) == 0 || again[0].From != after(0) || again[len(again)-1].To != after(2*maxDeletedNamespaces) {
		t.Errorf("a namespace that is deleted often: %v", again)
	}
	if gone, all := f.NamespaceDeleted("other"); all || len(gone) != 0 {
		t.Errorf("a namespace that may not be kept: %v, all %t", gone, all)
	}
}

func TestClientsAreCountedOnceARequest(t *testing.T) {
	received := done(t, 0, 0, "alice list shop/pods 0")
	received.Stage = audit.StageRequestReceived
	refused := done(t, 130, 131, "bob list shop/pods 401")
	refused.Stage = audit.StageResponseStarted
	watch := done(t, 5, 6, "alice watch shop/pods 200")
	watch.Stage = audit.StageResponseStarted
	f := facts(received, done(t, 0, 1, "alice list shop/pods 200"), watch, refused,
		done(t, 130, 132, "alice get shop/pods/web 404"), done(t, 3, 4, "carol get shop/pods/web 200"))
	f.Observe(done(t, 3, 4, "dave get shop/pods/web 200"), false) // left out by --where
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
	bob := Client{User: audit.Intern("bob"), UserAgent: refused.UserAgent, SourceIP: refused.ClientIP()}
	for _, c := range []struct {
		from, to int
		want     bool
	}{{0, 119, false}, {0, 120, true}, {150, 170, true}, {180, 240, false}} {
		if got := f.Heard(bob, after(float64(c.from)), after(float64(c.to))); got != c.want {
			t.Errorf("bob heard from second %d to %d: %t, want %t", c.from, c.to, got, c.want)
		}
	}
	v := f.Overview()
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

func TestFactsCountStagesAndLevels(t *testing.T) {
	odd := done(t, 2, 3, "bob brew shop/pots 405")
	odd.Coarse = true
	f := facts(done(t, 0, 1, "bob get shop/pods/web 200"), odd)
	if f.Coarse != 1 || f.Stages[audit.StageResponseComplete] != 2 || f.Levels[audit.LevelMetadata] != 2 ||
		f.Span != (tally.Span{First: after(1), Last: after(3)}) {
		t.Errorf("facts %+v", f)
	}
}

func TestFactsAllocateNothingForWhatTheyKnow(t *testing.T) {
	events := someEvents(t, 1, 300, 5)
	f := facts(events...)
	i := 0
	observe := func() {
		e := events[i%len(events)]
		e.At, e.Received = e.At.Add(time.Second), e.Received.Add(time.Second)
		f.Observe(e, true)
		i++
	}
	thousand := func() {
		for range 1000 {
			observe()
		}
	}
	for range 100 { // until what grows with time has grown
		thousand()
	}
	if n := testing.AllocsPerRun(50, thousand); n > 20 { // a cell of time now and then
		t.Errorf("%v allocations in a thousand events", n)
	}
}

// lawful checks that facts made of events serially and in shuffled parts, some
// of them saved on the way, have the same serial form.
func lawful(t *testing.T, seed uint64, events []*audit.Event) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	want := form(t, facts(events...))
	events = slices.Clone(events)
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	parts := make([]*Facts, 1+rng.IntN(4))
	for i := range parts {
		parts[i] = NewFacts()
	}
	for _, e := range events {
		parts[rng.IntN(len(parts))].Observe(e, true)
	}
	for i := range parts {
		if rng.IntN(2) == 0 {
			again := NewFacts()
			if err := json.Unmarshal([]byte(form(t, parts[i])), again); err != nil {
				t.Fatal(err)
			}
			parts[i] = again
		}
	}
	for len(parts) > 1 {
		i, last := rng.IntN(len(parts)-1), len(parts)-1
		parts[i].Merge(parts[last])
		parts = parts[:last]
	}
	if got := form(t, parts[0]); got != want {
		t.Errorf("seed %d: %s", seed, cmp.Diff(strings.Split(want, ","), strings.Split(got, ",")))
	}
}

func form(t *testing.T, f *Facts) string {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestFactsObeyTheLaw(t *testing.T) {
	for _, n := range []int{0, 1, 20, 500} {
		for seed := range uint64(10) {
			lawful(t, seed, someEvents(t, seed, n, 10))
		}
	}
}

// TestFullFactsObeyTheLaw has more clients, namespaces and names than are kept.
func TestFullFactsObeyTheLaw(t *testing.T) {
	const seed = 1
	events := someEvents(t, seed, 40_000, 5000)
	lawful(t, seed, events)
	f := facts(events...)
	if f.Writes.Scopes.exact() || f.Requests.Clients.Below == 0 {
		t.Error("the facts are not full")
	}
	if raw := form(t, f); len(raw) > 8<<20 {
		t.Errorf("full facts take %d bytes", len(raw))
	}
}

// someEvents makes n events of all kinds that facts look at, with so many
// users, namespaces and names.
func someEvents(t *testing.T, seed uint64, n, names int) []*audit.Event {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(words string) string {
		all := strings.Fields(words)
		return all[rng.IntN(len(all))]
	}
	events := make([]*audit.Event, n)
	for i := range events {
		from := rng.Float64() * float64(int(10)<<rng.IntN(14))
		e := done(t, from, from+rng.ExpFloat64(), fmt.Sprintf("%s %s ns-%d/%s/obj-%d %s",
			pick("alice bob system:apiserver user-"+fmt.Sprint(rng.IntN(names))),
			pick("get list watch watch create update patch delete delete deletecollection"), rng.IntN(names),
			pick("pods services namespaces clusterroles"), rng.IntN(names), pick("200 200 201 404 409 401")))
		e.Log, e.Offset = pick("a.log b.log"), int64(i)
		e.Stage = audit.Stage(1 + rng.IntN(int(audit.StagePanic)))
		if rng.IntN(2) == 0 {
			e.Stage = audit.StageResponseComplete
		}
		if string(e.Name) != "" && e.Verb == audit.VerbUpdate {
			e.ObjectRV = audit.View(fmt.Sprint(rng.IntN(1000)))
		}
		switch rng.IntN(6) {
		case 0:
			e.URI = append(e.URI, "?sendInitialEvents=true&timeoutSeconds=400&watch=true"...)
			e.Message = audit.View("Connection closed early")
		case 1:
			e.Group = groupRBAC
		case 2:
			e.Annotations = []audit.Annotation{{Key: annotationTruncated, Value: audit.View("true")}}
		}
		events[i] = e
	}
	return events
}
