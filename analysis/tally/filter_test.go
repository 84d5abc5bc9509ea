package tally

import (
	"fmt"
	"testing"
)

func TestFilterForgetsNoNameAndTakesFewForItsOwn(t *testing.T) {
	var f Filter
	for i := range 20_000 {
		f.Add(fmt.Sprint("ci-", i))
	}
	wrong := 0
	for i := range 20_000 {
		if !f.Has(fmt.Sprint("ci-", i)) {
			t.Fatalf("ci-%d is forgotten", i)
		}
		if f.Has(fmt.Sprint("team-", i)) {
			wrong++
		}
	}
	if wrong > 30 {
		t.Errorf("%d of 20,000 other names are taken for its own, want some 10", wrong)
	}
}
