package analysis

import (
	"fmt"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestRequestsThatAnAggregatedServerLogsTooAreNoted(t *testing.T) {
	twice := func(inside bool) (events []*audit.Event) {
		for i := range 12 {
			from := 10 * float64(i)
			outer, inner := done(t, from, from+0.02, "hpa list shop/pods 200"), done(t, from+0.01, from+0.015, "hpa list shop/pods 200")
			if !inside { // a client with an audit ID of its own, for one request after the other
				inner = done(t, from+1, from+1.01, "hpa list shop/pods 200")
			}
			outer.AuditID = audit.View(fmt.Sprint("id", i))
			inner.AuditID = outer.AuditID
			events = append(events, outer, inner, outer)
		}
		return events
	}
	if got := kindsOf(facts(twice(true)...)); got != "aggregated-twice" {
		t.Errorf("notes %q", got)
	}
	if got := kindsOf(facts(twice(true)[:6]...)); got != "" {
		t.Errorf("of two requests: notes %q", got)
	}
	if got := kindsOf(facts(twice(false)...)); got != "" {
		t.Errorf("of requests one after the other: notes %q", got)
	}
}
