package tally

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestASetIsExactUpToItsCap(t *testing.T) {
	s := Set{Cap: 3}
	for _, name := range []string{"b", "a", "b", "c", "a"} {
		s.AddBytes([]byte(name))
	}
	if !s.Exact() || s.Len() != 3 || !slices.Equal(s.Members(), []string{"a", "b", "c"}) || !s.Has("b") {
		t.Errorf("exact %t, %d members %v", s.Exact(), s.Len(), s.Members())
	}
	s.Add("d")
	if s.Exact() || len(s.Members()) != 3 {
		t.Errorf("with a fourth: exact %t, members %v", s.Exact(), s.Members())
	}
}

func TestAFullSetEstimatesItsSize(t *testing.T) {
	for _, n := range []int{100, 10_000, 200_000} {
		s := Set{Cap: 256}
		for i := range n {
			s.Add(fmt.Sprintf("system:node:ip-10-0-%d-%d.ec2.internal", i/250, i%250))
		}
		if off := math.Abs(float64(s.Len()-n)) / float64(n); off > 0.2 {
			t.Errorf("%d names are taken for %d", n, s.Len())
		}
	}
}

func TestASetCopiesWhatItKeeps(t *testing.T) {
	var s Set
	name := []byte("web-0")
	s.AddBytes(name)
	copy(name, "XXXXX")
	if got := s.Members()[0]; got != "web-0" {
		t.Errorf("the member became %q", got)
	}
}

func TestATableHoldsCompleteValues(t *testing.T) {
	table := Table[Count]{Cap: 10}
	for i := range 5000 {
		if n := table.At(fmt.Sprintf("pod-%d", i%100)); n != nil {
			*n++
		}
	}
	if len(table.Rows) != 10 || table.Exact() {
		t.Errorf("%d rows, exact %t", len(table.Rows), table.Exact())
	}
	for _, row := range table.Sorted() {
		if row.Value != 50 || *table.Get(row.Name) != 50 {
			t.Errorf("%s was counted %d times, want 50", row.Name, row.Value)
		}
	}
	if table.Get("pod-1000") != nil {
		t.Error("a name that never was has a value")
	}
}

// Saved states are merged by these: a change of the hash is a change of the
// format.
func TestTheHashNeverChanges(t *testing.T) {
	for s, want := range map[string]uint64{
		"": wantEmpty, "a": wantA, "system:kube-controller-manager": wantKCM,
	} {
		if got := Hash(s); got != want || got != HashBytes([]byte(s)) {
			t.Errorf("Hash(%q) = %#x, want %#x", s, got, want)
		}
	}
}

const (
	wantEmpty = 0xe2c3c5f5c9e14a57
	wantA     = 0xa591814293565776
	wantKCM   = 0x18b176bda1fd2533
)

func TestHashesDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for i := range 100_000 {
		for _, s := range []string{fmt.Sprintf("web-%d", i), fmt.Sprintf("%d", i)} {
			if other, ok := seen[Hash(s)]; ok {
				t.Fatalf("%q and %q have one hash", s, other)
			}
			seen[Hash(s)] = s
		}
	}
	if Mix(1, 2) == Mix(2, 1) {
		t.Error("the order of what is mixed does not matter")
	}
}
