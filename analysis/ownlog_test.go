package analysis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestLinesAreGatheredByWhatTheyAreAbout(t *testing.T) {
	var lines []OwnLine
	for i, resource := range []string{"pods", "", "nodes", "pods"} {
		lines = append(lines, OwnLine{Resource: resource, Ref: audit.Ref{Line: i}})
	}
	var got []string
	for resource, refs := range LinesBy(lines, func(l *OwnLine) (string, bool) { return l.Resource, l.Resource != "" }) {
		for _, ref := range refs {
			got = append(got, fmt.Sprint(resource, " ", ref.Line))
		}
	}
	if want := []string{"pods 0", "pods 3", "nodes 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
