package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// TestAnIndexIsAMap does the same to an index and to a map.
func TestAnIndexIsAMap(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	var got index[Key, int]
	want := map[Key]int{}
	keys := make([]Key, 2000)
	for i := range keys {
		key := &keys[i]
		for _, field := range []*audit.Sym{&key.Kind, &key.User, &key.Group, &key.Resource, &key.Namespace, &key.Selector} {
			*field = audit.Intern([]string{"", "a", "b", "c"}[rng.IntN(4)])
		}
		key.Name = fmt.Sprint(rng.IntN(3))
	}
	same := func() {
		t.Helper()
		if len(got.rows) != len(want) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(got.rows), len(want))
		}
		for _, key := range keys {
			v, ok := got.get(key)
			if w, there := want[key]; v != w || ok != there {
				t.Fatalf("seed %d: %v: got %d, %t; want %d, %t", seed, key, v, ok, w, there)
			}
		}
	}
	same()
	for range 3 {
		for i := range 1000 {
			key := keys[rng.IntN(len(keys))]
			got.put(key, i)
			want[key] = i
		}
		same()
		got.keep(func(key Key) bool { return key.Name != "1" })
		for key := range want {
			if key.Name == "1" {
				delete(want, key)
			}
		}
		same()
	}
}

// TestAnAnalyzerIsGivenWhatItWants counts what reaches Keys, by class.
func TestAnAnalyzerIsGivenWhatItWants(t *testing.T) {
	for _, c := range []struct {
		what  string
		wants []audit.Class
		want  string
	}{
		{"all", nil, "get RequestReceived, get ResponseComplete, watch ResponseStarted"},
		{"one class", []audit.Class{audit.ClassWatch}, "watch ResponseStarted"},
		{"either of two", []audit.Class{audit.ClassWatch, audit.ClassGet | audit.ClassReceived}, "get RequestReceived, watch ResponseStarted"},
		{"both at once, but once", []audit.Class{audit.ClassGet, audit.ClassComplete}, "get RequestReceived, get ResponseComplete"},
		{"none", []audit.Class{audit.ClassPanic}, ""},
	} {
		got := ""
		a := counting()
		a.Wants = c.wants
		a.Keys = func(e *audit.Event, keys []Key) []Key {
			if got != "" {
				got += ", "
			}
			got += e.Verb.String() + " " + e.Stage.String()
			return keys
		}
		s := NewShard([]*Analyzer{a})
		events := []*audit.Event{
			{Verb: audit.VerbGet, Stage: audit.StageRequestReceived, At: 1},
			{Verb: audit.VerbGet, Stage: audit.StageResponseComplete, At: 2},
			{Verb: audit.VerbWatch, Stage: audit.StageResponseStarted, At: 3},
		}
		for _, e := range events {
			s.Observe(e, true)
		}
		if got != c.want {
			t.Errorf("%s: Keys is given %q, want %q", c.what, got, c.want)
		}
		got = ""
		for _, e := range events {
			a.KeysOf(e, nil)
		}
		if got != c.want {
			t.Errorf("%s: KeysOf gives Keys %q, want %q", c.what, got, c.want)
		}
	}
}
