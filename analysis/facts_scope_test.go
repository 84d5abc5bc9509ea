package analysis

import (
	"fmt"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// TestScopesThatAreAskedForAreKeptFirst fills the tables of scopes several times over.
func TestScopesThatAreAskedForAreKeptFirst(t *testing.T) {
	f := NewFacts()
	write := func(text string) { f.Observe(done(t, 1, 2, text), true) }
	for i := range 3 * maxScopes {
		write(fmt.Sprintf("ci create team-%d/configmaps/a 201", i))
		if i < maxScopes/2 {
			write(fmt.Sprintf("ci create team-%d/pods/a 201", i))
		}
	}
	write("kcm update kube-system/leases/a 200")
	for i := range 3 * maxResources {
		e := done(t, 1, 2, fmt.Sprintf("ci create team-1/widgets%d/a 201", i))
		e.Group = audit.Intern("example.com")
		f.Observe(e, true)
	}
	for i := range maxScopes / 2 {
		if pods := scope(fmt.Sprint("team-", i), "pods"); !f.Knows(pods) || f.WritesOf(pods) != 1 {
			t.Fatalf("writes of pods of namespace %d are not known", i)
		}
	}
	if !f.Knows(scope("nowhere", "pods")) {
		t.Error("it is not known that no pods were written in a namespace, though all are kept in which any were")
	}
	for _, s := range []Scope{scope("kube-system", "leases"), scope("", "pods"), scope("", "configmaps"), scope("", "leases")} {
		if f.WritesOf(s) == 0 {
			t.Errorf("writes of %v are not known", s)
		}
	}
	known := 0
	for i := range 3 * maxScopes {
		if f.Knows(scope(fmt.Sprint("team-", i), "configmaps")) {
			known++
		}
	}
	if known == 0 || known > maxScopes/2 {
		t.Errorf("configmaps are known of %d namespaces, want some, and no more than there is room for", known)
	}
}
