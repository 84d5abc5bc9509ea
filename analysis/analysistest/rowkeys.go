package analysistest

import (
	"slices"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// rowKeysHold checks what an analyzer says by RowKeys: that the key of such an
// event depends on its row alone. What is no part of a row is changed, and the
// key must stay.
func rowKeysHold(t testing.TB, a *analysis.Analyzer, events []kept) {
	t.Helper()
	for i := range events {
		e := events[i].event
		if class := e.Classify(); !fits(a.Wants, class) || !slices.ContainsFunc(a.RowKeys, func(p audit.Class) bool { return p.Holds(class) }) {
			continue
		}
		want := a.Keys(&e, nil)
		other := e
		other.Namespace, other.ObjectRV, other.Message, other.Annotations = audit.Intern("elsewhere"), nil, nil, nil
		other.AuditID, other.URI, other.Raw, other.Log, other.Source = audit.View("x"), nil, nil, "x", "x"
		if len(e.Name) > 0 {
			other.Name = audit.View("another")
		}
		if got := a.Keys(&other, nil); !slices.Equal(got, want) || len(got) > 1 {
			t.Errorf("RowKeys holds an event whose keys are %v, and %v with another name, namespace and message", want, got)
		}
	}
}

func fits(patterns []audit.Class, class audit.Class) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p audit.Class) bool { return p.Holds(class) })
}
