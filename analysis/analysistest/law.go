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

// Bounds of what is tried: all cuts of a case that a person wrote, some of a
// recorded log.
const (
	allCuts     = 64
	someCuts    = 6
	manyEvents  = 4000
	shuffles    = 2
	deals       = 3
	manyShuffle = 1
)

// prove tries other ways to read the log that one shard has read.
func (l *law) prove(t *testing.T, serial *analysis.Shard) {
	t.Helper()
	saved := l.form(t, serial)
	want := l.findings(t, serial)
	if got := l.findings(t, serial); got != want {
		t.Errorf("Report changes what it reports: a second time it gives (-first +second)\n%s", cmp.Diff(want, got))
	}
	if got := l.form(t, serial); got != saved {
		t.Error("Report changes the state")
	}
	again := l.copied(t, serial)
	if got := l.form(t, again); got != saved {
		t.Errorf("a state changes when it is saved and read (-saved +read)\n%s", cmp.Diff(saved, got))
	}
	tried := 0
	try := func(how string, s *analysis.Shard) {
		tried++
		if got := l.findings(t, s); got != want && !t.Failed() {
			t.Errorf("%s, the findings are others (-want +got)\n%s", how, cmp.Diff(want, got))
		}
	}
	for _, at := range l.cuts() {
		left, right := l.shard(l.events[:at]), l.shard(l.events[at:])
		if at%2 == 1 {
			left, right = right, l.copied(t, left)
		}
		left.Merge(right)
		try("cut in two", left)
	}
	rounds := shuffles
	if len(l.events) > manyEvents {
		rounds = manyShuffle
	}
	for range rounds {
		try("in another order", l.shard(l.shuffled()))
	}
	for range rounds {
		try("dealt to several states", l.dealt(t))
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// cuts returns where to cut the log in two.
func (l *law) cuts() []int {
	var cuts []int
	n := len(l.events)
	if n <= allCuts {
		for at := range n + 1 {
			cuts = append(cuts, at)
		}
		return cuts
	}
	for range someCuts {
		cuts = append(cuts, l.rng.IntN(n))
	}
	return cuts
}

func (l *law) shuffled() []kept {
	events := slices.Clone(l.events)
	l.rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	return events
}

// dealt deals the events to some shards at random and merges these in random
// order, each but the first read from its serial form.
func (l *law) dealt(t *testing.T) *analysis.Shard {
	shards := make([]*analysis.Shard, 2+l.rng.IntN(deals))
	for i := range shards {
		shards[i] = l.shard(nil)
	}
	for i := range l.events {
		l.replayer.observe(shards[l.rng.IntN(len(shards))], &l.events[i])
	}
	l.rng.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
	for _, s := range shards[1:] {
		shards[0].Merge(l.copied(t, s))
	}
	return shards[0]
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
func (l *law) copied(t *testing.T, s *analysis.Shard) *analysis.Shard {
	t.Helper()
	c := analysis.NewShard([]*analysis.Analyzer{l.analyzer})
	if err := json.Unmarshal([]byte(l.form(t, s)), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (l *law) form(t *testing.T, s *analysis.Shard) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (l *law) findings(t *testing.T, s *analysis.Shard) string {
	t.Helper()
	raw, err := json.MarshalIndent(s.Findings(l.settings), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
