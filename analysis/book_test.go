package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// steps is a state that has less room where there are many.
type steps struct{ Times tally.Cells[tally.Count] }

const mostSteps = 64

func newSteps() State {
	return &steps{tally.Cells[tally.Count]{StepMicros: 1, Cap: mostSteps}}
}

func (s *steps) Observe(e *audit.Event) { *s.Times.At(e.At)++ }
func (s *steps) Merge(o State)          { s.Times.Merge(&o.(*steps).Times) }
func (s *steps) Narrow(share int)       { s.Times.Narrow(mostSteps / share) }
func (s *steps) Report(*Pass)           {}

// TestManyKeysShareTheRoomHoweverTheLogIsCut deals the same events to one
// shard and to several, by chance, and expects equal states, with all of their
// events, in as many steps as are due.
func TestManyKeysShareTheRoomHoweverTheLogIsCut(t *testing.T) {
	for _, c := range []struct{ keys, most int }{{roomyKeys, 64}, {roomyKeys + 1, 32}, {3 * roomyKeys, 16}} {
		a := counting()
		a.New = newSteps
		const seed = 1
		rng := rand.New(rand.NewPCG(seed, 0))
		fill := func(shards int) string {
			all := make([]*Shard, shards)
			for i := range all {
				all[i] = NewShard([]*Analyzer{a})
			}
			for _, i := range rng.Perm(c.keys + 100) {
				e := audit.Event{Name: audit.View("busy"), At: audit.Time(1 + 1000*i), Stage: audit.StageResponseComplete}
				if i < c.keys-1 {
					e.Name = audit.View(fmt.Sprint("pod-", i))
				}
				all[rng.IntN(shards)].Observe(&e, true)
				e.Name = audit.View("busy")
				all[rng.IntN(shards)].Observe(&e, true)
			}
			for _, s := range all[1:] {
				all[0].Merge(s)
			}
			busy, _ := all[0].books[0].get(Key{Name: "busy"})
			if n := busy.(*steps).Times.Len(); n > c.most || n <= c.most/4 {
				t.Errorf("seed %d: %d keys: the busy one has %d steps, want up to %d", seed, c.keys, n, c.most)
			}
			raw, err := json.Marshal(all[0])
			if err != nil {
				t.Fatal(err)
			}
			var saved savedShard
			if err := json.Unmarshal(raw, &saved); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%s", saved.Books)
		}
		want := fill(1)
		for shards := 2; shards <= 4; shards++ {
			if got := fill(shards); got != want {
				t.Errorf("seed %d: %d keys: %d shards have other states than one", seed, c.keys, shards)
			}
		}
	}
}
