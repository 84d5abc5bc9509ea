package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// A counter is the smallest state there is: how many events have the key.
type counter struct{ N int }

func (c *counter) Observe(*audit.Event) { c.N++ }
func (c *counter) Merge(o State)        { c.N += o.(*counter).N }
func (c *counter) Report(p *Pass) {
	if c.N < p.Int("min") {
		return
	}
	p.Report(Finding{
		Severity: Info, Confidence: Confirmed, Count: c.N,
		Title: fmt.Sprintf("%s was named %d times", p.Key.Name, c.N),
	})
}

func counting() *Analyzer {
	return &Analyzer{
		Name:    "counting",
		Doc:     "# counting: names that come often\n",
		Options: []Option{{Name: "min", Default: 2, Unit: "times", Doc: "Once is no news."}},
		Keys: func(e *audit.Event, keys []Key) []Key {
			return append(keys, Key{Name: NameOf(e.Name)})
		},
		New: func() State { return new(counter) },
	}
}

func named(names ...string) *Shard {
	s := NewShard([]*Analyzer{counting()})
	for _, name := range names {
		s.Observe(&audit.Event{Name: audit.View(name), Stage: audit.StageResponseComplete, At: 1}, true)
	}
	return s
}

func titles(s *Shard, settings Settings) string {
	var all []string
	for _, f := range s.Findings(settings) {
		all = append(all, f.Title)
	}
	return strings.Join(all, "; ")
}

func TestFindingsDoNotDependOnHowTheLogIsCut(t *testing.T) {
	const want = "a was named 3 times; b was named 2 times"
	if got := titles(named("a", "b", "a", "c", "b", "a"), nil); got != want {
		t.Errorf("one shard: got %q, want %q", got, want)
	}
	left, right := named("a", "b"), named("a", "c", "b", "a")
	right.Merge(left)
	if got := titles(right, nil); got != want {
		t.Errorf("two shards: got %q, want %q", got, want)
	}
}

func TestAShardSurvivesItsSerialForm(t *testing.T) {
	raw, err := json.Marshal(named("a", "b", "a"))
	if err != nil {
		t.Fatal(err)
	}
	again := named()
	if err := json.Unmarshal(raw, again); err != nil {
		t.Fatal(err)
	}
	again.Merge(named("b"))
	if got, want := titles(again, nil), "a was named 2 times; b was named 2 times"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOptionsShapeTheReportOnly(t *testing.T) {
	s, settings := named("a", "b", "a", "a"), Settings{}
	if err := settings.Set(counting(), "min", "3"); err != nil {
		t.Fatal(err)
	}
	if got, want := titles(s, settings), "a was named 3 times"; got != want {
		t.Errorf("min=3: got %q, want %q", got, want)
	}
	if err := settings.Set(counting(), "min", "many"); err == nil || !strings.Contains(err.Error(), "counting.min") {
		t.Errorf("min=many: %v", err)
	}
	if err := settings.Set(counting(), "min", "0"); err == nil || !strings.Contains(err.Error(), "1 or more times") {
		t.Errorf("zero: got error %v", err)
	}
	if err := settings.Set(counting(), "min", "-3"); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("min=-3: %v", err)
	}
	if err := settings.Set(counting(), "max", "3"); err == nil {
		t.Error("an option that does not exist was set")
	}
}

func TestAnEventOutsideTheSelectionReachesNoState(t *testing.T) {
	s := named("a")
	s.Observe(&audit.Event{Name: audit.View("a"), Stage: audit.StageResponseComplete, At: 2}, false)
	if got := titles(s, Settings{"counting": {"min": 1}}); got != "a was named 1 times" {
		t.Errorf("got %q", got)
	}
	if s.Facts().Events != 2 {
		t.Errorf("the facts hold %d events, want 2", s.Facts().Events)
	}
}

// TestACapKeepsTheSameKeysHoweverTheLogIsCut floods small books with names,
// in random order over random shards, and expects the same survivors, each
// with all of its events.
func TestACapKeepsTheSameKeysHoweverTheLogIsCut(t *testing.T) {
	const size, names, times = 50, 1000, 3
	fill := func(rng *rand.Rand, shards int) *book {
		order := make([]string, 0, names*times)
		for i := range names * times {
			order = append(order, fmt.Sprintf("pod-%d", i%names))
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		books := make([]book, shards)
		for i := range books {
			books[i] = newBook(size)
		}
		for _, name := range order {
			if s := books[rng.IntN(shards)].state(Key{Name: name}, counting().New); s != nil {
				s.Observe(nil)
			}
		}
		for i := range books[1:] {
			books[0].merge(&books[1+i])
		}
		return &books[0]
	}
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	want := fill(rng, 1)
	for shards := 1; shards <= 5; shards++ {
		got := fill(rng, shards)
		if !slices.Equal(got.sorted(), want.sorted()) {
			t.Fatalf("seed %d: %d shards keep other keys than one", seed, shards)
		}
		if len(got.rows) != size {
			t.Errorf("%d keys are kept, want %d", len(got.rows), size)
		}
		for _, row := range got.rows {
			if n := row.value.(*counter).N; n != times {
				t.Errorf("seed %d: %s has seen %d events, want %d", seed, row.key.Name, n, times)
			}
		}
		if n := got.overflow(); n < names/2 || n > names*2 || n != want.overflow() {
			t.Errorf("about %d keys were dropped by %d shards, %d by one; want near %d", n, shards, want.overflow(), names-size)
		}
	}
}

// TestADroppedKeyStaysDroppedInTheSerialForm: else it would come back with the
// events of the next log alone, and be taken for whole.
func TestADroppedKeyStaysDroppedInTheSerialForm(t *testing.T) {
	full := named()
	full.books[0] = newBook(3)
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("pod-%d", i))
	}
	observe := func(s *Shard) {
		for _, name := range names {
			s.Observe(&audit.Event{Name: audit.View(name), At: 1}, true)
		}
	}
	observe(full)
	raw, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	again := named()
	if err := json.Unmarshal(raw, again); err != nil {
		t.Fatal(err)
	}
	observe(again)
	if got, want := again.books[0].sorted(), full.books[0].sorted(); !slices.Equal(got, want) {
		t.Errorf("got keys %v, want %v", got, want)
	}
}

func TestFindingsOfOneSubjectHaveDifferentIDs(t *testing.T) {
	f := Finding{Analyzer: "counting", Severity: Info, Confidence: Likely}
	two := []Finding{f, f}
	finish(two)
	if two[0].ID == two[1].ID || !strings.HasPrefix(two[0].ID, "counting/") {
		t.Errorf("ids %q and %q", two[0].ID, two[1].ID)
	}
	f.First, f.Last = 1, 2
	two = []Finding{f}
	finish(two)
	if raw, err := json.Marshal(two); err != nil || strings.Contains(string(raw), "null") {
		t.Errorf("something is null in %s, %v", raw, err)
	}
}

func TestAnalyzersThatMetNothingTheyNeedAreBlind(t *testing.T) {
	a := counting()
	a.Needs = Needs{Stages: []audit.Stage{audit.StageResponseComplete}}
	s := NewShard([]*Analyzer{a})
	if got := s.Blind(); len(got) != 0 {
		t.Errorf("an empty log makes blind: %v", got)
	}
	s.Observe(&audit.Event{Stage: audit.StageRequestReceived, Level: audit.LevelMetadata, At: 1}, true)
	if got := fmt.Sprint(s.Blind()); got != "[{counting no ResponseComplete in this log false}]" {
		t.Errorf("got %s", got)
	}
	a.Needs = Needs{Level: audit.LevelRequest}
	if got := fmt.Sprint(s.Blind()); got != "[{counting nothing is recorded at level Request or above false}]" {
		t.Errorf("got %s", got)
	}
}

// TestAnalyzersThatMissAPartOfWhatTheyNeedAreBlindInPart: they see the rest, and
// any of the stages will do.
func TestAnalyzersThatMissAPartOfWhatTheyNeedAreBlindInPart(t *testing.T) {
	const unseen = "[{counting no RequestReceived or ResponseStarted in this log, so what never ended leaves no trace true}]"
	for _, c := range []struct {
		name   string
		stages []audit.Stage
		origin audit.Origin
		want   string
	}{
		{"ends alone", []audit.Stage{audit.StageResponseComplete}, audit.OriginAudit, unseen},
		{"ends and answers", []audit.Stage{audit.StageResponseComplete, audit.StageResponseStarted}, audit.OriginAudit, "[]"},
		{"requests of httplog, each whole", []audit.Stage{audit.StageResponseComplete}, audit.OriginHTTPLog, "[]"},
		{"blind altogether", []audit.Stage{audit.StagePanic}, audit.OriginAudit, "[{counting no ResponseComplete in this log false}]"},
	} {
		a := counting()
		a.Needs = Needs{Stages: []audit.Stage{audit.StageResponseComplete}, Parts: []Part{NeverEnded}}
		s := NewShard([]*Analyzer{a})
		for _, stage := range c.stages {
			s.Observe(&audit.Event{Name: audit.View("web"), Stage: stage, At: 1, Level: audit.LevelMetadata, Origin: c.origin}, true)
		}
		if got := fmt.Sprint(s.Blind()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestValidateNamesTheFault(t *testing.T) {
	if err := Validate([]*Analyzer{counting()}); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Analyzer){
		"kebab-case":  func(a *Analyzer) { a.Name = "Counting Names" },
		"doc.md":      func(a *Analyzer) { a.Doc = "# other: x" },
		"must be set": func(a *Analyzer) { a.New = nil },
		"has no doc":  func(a *Analyzer) { a.Options[0].Doc = "" },
		"two options": func(a *Analyzer) { a.Options = append(a.Options, a.Options[0]) },
	} {
		a := counting()
		spoil(a)
		if err := Validate([]*Analyzer{a}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
	if err := Validate([]*Analyzer{counting(), counting()}); err == nil {
		t.Error("two analyzers of one name are valid")
	}
}

// TestABlindAnalyzerClaimsNothing: what it needs is not in the log, and what it
// made of the rest may be wrong.
func TestABlindAnalyzerClaimsNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		needs Needs
		level audit.Level
		blind string
	}{
		{"times of whole seconds", Needs{SubSecond: true}, audit.LevelMetadata, "its events have times of whole seconds, or only one time each"},
		{"one time each", Needs{Seconds: true}, audit.LevelMetadata, "its events have only one time each"},
		{"the legacy format", Needs{Names: true}, audit.LevelUnknown, "its format has no names of created objects"},
		{"all that it needs", Needs{Names: true}, audit.LevelMetadata, ""},
	} {
		a := counting()
		a.Needs = c.needs
		s := NewShard([]*Analyzer{a})
		for range 3 {
			s.Observe(&audit.Event{Name: audit.View("web"), Stage: audit.StageResponseComplete, At: 1, Level: c.level, Coarse: true}, true)
		}
		why := ""
		for _, b := range s.Blind() {
			why = b.Why
		}
		if found := len(s.Findings(nil)); why != c.blind || (found == 0) != (c.blind != "") {
			t.Errorf("%s: %d findings, blind since %q, want %q", c.name, found, why, c.blind)
		}
	}
}
