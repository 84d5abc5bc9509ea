package analysis

import (
	"fmt"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// TestKeysOfARowAreAskedForOnce counts how often Keys runs, for events of
// several rows again and again, of which one has no key.
func TestKeysOfARowAreAskedForOnce(t *testing.T) {
	asked := 0
	a := counting()
	a.RowKeys = []audit.Class{audit.ClassComplete}
	a.Keys = func(e *audit.Event, keys []Key) []Key {
		if asked++; e.User == (audit.Sym{}) {
			return keys
		}
		return append(keys, Key{User: e.User})
	}
	s := NewShard([]*Analyzer{a})
	for range 3 {
		for _, user := range []string{"", "alice", "bob"} {
			s.Observe(&audit.Event{User: audit.Intern(user), Stage: audit.StageResponseComplete, At: 1}, true)
		}
	}
	s.Observe(&audit.Event{User: audit.Intern("alice"), Stage: audit.StagePanic, At: 1}, true) // not of RowKeys
	if asked != 4 {
		t.Errorf("Keys ran %d times, want once for each of three rows, and once", asked)
	}
	for user, want := range map[string]int{"alice": 4, "bob": 3} {
		state, ok := s.books[0].get(Key{User: audit.Intern(user)})
		if !ok || state.(*counter).N != want {
			t.Errorf("%s: got %v, want %d events", user, state, want)
		}
	}
}

// TestRowsThatAreForgottenLoseNothing has more rows than are remembered.
func TestRowsThatAreForgottenLoseNothing(t *testing.T) {
	a := counting()
	a.RowKeys = []audit.Class{0}
	a.Keys = func(e *audit.Event, keys []Key) []Key { return append(keys, Key{User: e.User}) }
	s := NewShard([]*Analyzer{a})
	const users, times = maxRows + 100, 2
	for range times {
		for i := range users {
			s.Observe(&audit.Event{User: audit.Intern(fmt.Sprint("user-", i)), Stage: audit.StageResponseComplete, At: 1}, true)
		}
	}
	if n := len(s.feed.rows.rows); n > maxRows {
		t.Errorf("%d rows are remembered", n)
	}
	if n := len(s.books[0].rows); n != users {
		t.Errorf("%d states, want %d", n, users)
	}
	for _, row := range s.books[0].rows {
		if n := row.value.(*counter).N; n != times {
			t.Fatalf("%s: %d events, want %d", row.key.User, n, times)
		}
	}
	if top, _ := s.facts.topClients(1); top[0].Requests != times {
		t.Errorf("a client made %d requests, want %d", top[0].Requests, times)
	}
}
