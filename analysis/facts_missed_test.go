package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// renewed is a log of five minutes in which Leases are renewed, whose versions
// grow by so many from one renewal to the next, ten seconds later. What else is
// written is named.
func renewed(t *testing.T, each int, others ...string) *Facts {
	t.Helper()
	var events []*audit.Event
	for i := range 30 {
		e := done(t, float64(10*i), float64(10*i)+0.1, "n1 update kube-node-lease/leases/n1 200")
		e.Group, e.ObjectRV = audit.Intern("coordination.k8s.io"), audit.View(fmt.Sprint(1000+each*i))
		events = append(events, e)
		for n, other := range others {
			at := float64(10*i + n + 1)
			events = append(events, done(t, at, at+0.1, other))
		}
	}
	return facts(events...)
}

func TestChangesThatAreNotInTheLogAreNoted(t *testing.T) {
	all := []string{"kcm create shop/events/e 201", "n1 patch shop/pods/web 200", "n1 patch /nodes/n1 200"}
	f := renewed(t, 12, all...)
	if got := kindsOf(f); got != "other-api-servers" || !f.Partial() {
		t.Errorf("three times as many changes: notes %q", got)
	} else if text := f.Notes()[0].Text; !strings.Contains(text, "some 348 changes") || !strings.Contains(text, "no more than 120 of them") {
		t.Errorf("the note says %q", text)
	}
	if got := kindsOf(renewed(t, 4, all...)); got != "" {
		t.Errorf("as many changes as are logged: %q", got)
	}
	if got := kindsOf(renewed(t, 12, all[1:]...)); got != "" {
		t.Errorf("where the policy leaves Events out: %q", got)
	}
	f = facts()
	for _, e := range work(t, 300, "system:kube-controller-manager update kube-system/leases/kube-controller-manager 200", "kcm create shop/events/e 201", "kcm patch shop/pods/web 200", "kcm patch /nodes/n1 200") {
		if e.Resource == resLeases {
			e.ObjectRV = audit.View(fmt.Sprint(e.At.Sub(noon).Seconds() * 12))
		}
		f.Observe(e, true)
	}
	if got := kindsOf(f); got != "" {
		t.Errorf("where the policy leaves kubelets out: %q", got)
	}
	other := done(t, 291, 291.1, "n9 update kube-node-lease/leases/n9 200")
	other.Group, other.ObjectRV = audit.Intern("coordination.k8s.io"), audit.View("5000000")
	f = renewed(t, 4, all...)
	f.Observe(other, true)
	if got := kindsOf(f); got != "" {
		t.Errorf("where a lease of another cluster is in it: %q", got)
	}
	if got := kindsOf(renewed(t, 8, all...)); got != "" {
		t.Errorf("too few changes to tell: %q", got)
	}
}

func TestWhatFindingsTellOfOtherServersIsNoted(t *testing.T) {
	gone := Finding{First: after(10), Last: after(90), Details: Details{"pattern": "elsewhere"}}
	silent := Finding{First: after(10), Last: after(90), Details: Details{"pattern": "one-node"}}
	if got := MovedNotes(nil, []Finding{silent}); got != nil {
		t.Errorf("of a node that was silent: %v", got)
	}
	got := MovedNotes(nil, []Finding{silent, gone})
	if len(got) != 1 || got[0].Kind != "other-api-servers" || got[0].From != after(10) || got[0].To != after(90) {
		t.Errorf("of a node that was heard elsewhere: %v", got)
	}
	if again := MovedNotes(got, []Finding{gone}); again != nil {
		t.Errorf("where it is noted: %v", again)
	}
}
