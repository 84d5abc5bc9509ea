package leaselost

import (
	"slices"
	"testing"

	"github.com/kaudit/kaudit/analysis"
)

// TestALossIsPossibleIfPodsAreNotKnown weighs a takeover of which it is not known whether
// the old holder's pod was deleted.
func TestALossIsPossibleIfPodsAreNotKnown(t *testing.T) {
	_, sure, _ := weigh(&loss{kind: kindTakeover})
	_, unsure, caveats := weigh(&loss{kind: kindTakeover, podUnknown: true})
	if sure != analysis.Likely || unsure != analysis.Possible || !slices.Contains(caveats, caveatPods) {
		t.Errorf("got %s, and %s with caveats %q, want likely, and possible with %q", sure, unsure, caveats, caveatPods)
	}
}
