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
	events := someEvents(t, seed, 40_000, 20_000)
	lawful(t, seed, events)
	f := facts(events...)
	f.settle()
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
