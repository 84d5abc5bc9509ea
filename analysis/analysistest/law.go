package analysistest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
)

// A law proves that the findings of a log do not depend on how it is read.
type law struct {
	analyzer *analysis.Analyzer
	settings analysis.Settings
	events   []kept
	rng      *rand.Rand
	replayer replayer
}

// Bounds of what is tried. Every way to cut a case in two is, if that takes no
// more than budget events; of a recorded log, a few.
const (
	budget  = 50_000 // events, for each kind of trial
	fewest  = 4      // trials of a kind, however long the log
	most    = 8      // trials of a kind that are at random
	deals   = 5      // states that a log is dealt to at most
	longest = 4      // of how many runs a log is dealt at least, in one of two trials
)

// prove tries other ways to read the log that one shard has read.
func (l *law) prove(t testing.TB, serial *analysis.Shard) {
	t.Helper()
	saved := l.form(t, serial)
	want := l.findings(t, serial)
	if got := l.findings(t, serial); got != want {
		t.Errorf("Report changes what it reports: a second time it gives (-first +second)\n%s", cmp.Diff(want, got))
	}
	l.otherSettings(serial)
	if got := l.form(t, serial); got != saved {
		t.Error("Report changes the state")
	}
	if got := l.form(t, l.copied(t, serial)); got != saved {
		t.Errorf("a state changes when it is saved and read (-saved +read)\n%s", cmp.Diff(saved, got))
	}
	try := func(how string, s *analysis.Shard) bool {
		got := l.findings(t, s)
		if got != want {
			t.Errorf("%s, the findings are others (-want +got)\n%s", how, cmp.Diff(want, got))
		}
		return got == want
	}
	for _, at := range l.cuts() {
		if !try("cut in two", l.cut(t, at)) {
			break
		}
	}
	for range l.trials() {
		if !try("in another order", l.shard(l.shuffled())) {
			break
		}
	}
	for n := range l.trials() {
		if !try("dealt to several states", l.dealt(t, n)) {
			break
		}
	}
}

// trials returns how many trials of a kind the log's length allows.
func (l *law) trials() int { return max(fewest, min(most, budget/(1+len(l.events)))) }

// cuts returns where to cut the log in two.
func (l *law) cuts() []int {
	var cuts []int
	n := len(l.events)
	if n*n <= budget {
		for at := range n + 1 {
			cuts = append(cuts, at)
		}
		return cuts
	}
	for range l.trials() {
		cuts = append(cuts, l.rng.IntN(n))
	}
	return cuts
}

// cut cuts the log in two. By turns, the halves are merged in order or the other
// way round, and now and then with the earlier half read from its serial form:
// always would take most of the time.
func (l *law) cut(t testing.TB, at int) *analysis.Shard {
	left, right := l.shard(l.events[:at]), l.shard(l.events[at:])
	if at%8 == 1 {
		left = l.copied(t, left)
	}
	if at%2 == 1 {
		left, right = right, left
	}
	left.Merge(right)
	return left
}

func (l *law) shuffled() []kept {
	events := slices.Clone(l.events)
	l.rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	return events
}

// dealt deals the events to some shards, one by one or in runs, and merges
// these in random order, each but the first read from its serial form.
func (l *law) dealt(t testing.TB, trial int) *analysis.Shard {
	shards := make([]*analysis.Shard, 2+l.rng.IntN(deals-1))
	for i := range shards {
		shards[i] = l.shard(nil)
	}
	run := 1
	if trial%2 == 1 {
		run = 1 + len(l.events)/longest
	}
	to := shards[0]
	for i := range l.events {
		if l.rng.IntN(run) == 0 {
			to = shards[l.rng.IntN(len(shards))]
		}
		l.replayer.observe(to, &l.events[i])
	}
	l.rng.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
	for _, s := range shards[1:] {
		shards[0].Merge(l.copied(t, s))
	}
	return shards[0]
}

// otherSettings reports with options that are far from their defaults.
func (l *law) otherSettings(s *analysis.Shard) {
	for _, factor := range []float64{0, 3, -1} {
		s.Findings(settingsTimes(l.analyzer, factor))
	}
}

// shard returns a shard that has seen events.
func (l *law) shard(events []kept) *analysis.Shard {
	s := analysis.NewShard([]*analysis.Analyzer{l.analyzer})
	for i := range events {
		l.replayer.observe(s, &events[i])
	}
	return s
}

// copied sends a shard through its serial form.
func (l *law) copied(t testing.TB, s *analysis.Shard) *analysis.Shard {
	t.Helper()
	c := analysis.NewShard([]*analysis.Analyzer{l.analyzer})
	if err := json.Unmarshal([]byte(l.form(t, s)), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (l *law) form(t testing.TB, s *analysis.Shard) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (l *law) findings(t testing.TB, s *analysis.Shard) string {
	t.Helper()
	raw, err := json.MarshalIndent(s.Findings(l.settings), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
