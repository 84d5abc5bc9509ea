package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

func TestWritesAreCountedByScopeFromReceiptToCompletion(t *testing.T) {
	conflict := done(t, 12, 13, "bob update shop/pods/web 409")
	status := done(t, 14, 15, "bob update shop/pods/web 200")
	status.Subresource, status.ObjectRV = audit.SubStatus, audit.View("570")
	f := facts(
		done(t, 1, 2, "alice create shop/pods/web 201"),
		done(t, 3, 4, "alice create shop/pods/web 409"),
		done(t, 5, 6, "bob delete shop/pods/web 200"),
		done(t, 7, 8, "bob delete shop/pods/web 404"),
		done(t, 9, 10, "carol deletecollection play/pods 200"),
		done(t, 9, 10, "carol get play/pods/db 200"),
		conflict, status,
	)
	for _, ask := range []struct {
		namespace        string
		from, to         float64
		changes, updates int
	}{
		{"shop", 0, 20, 2, 1},
		{"play", 0, 20, 0, 1},
		{"", 0, 20, 2, 2},
		{"none", 0, 20, 0, 0},
		{"shop", 1.5, 20, 1, 1},
		{"shop", 0, 5.5, 1, 0},
		{"", 5, 10, 1, 1},
	} {
		s := scope(ask.namespace, "pods")
		changes, updates := f.ChangesWithin(s, after(ask.from), after(ask.to)), f.UpdatesWithin(s, after(ask.from), after(ask.to))
		if changes != ask.changes || updates != ask.updates {
			t.Errorf("%q from %g to %g: %d changes and %d updates, want %d and %d",
				ask.namespace, ask.from, ask.to, changes, updates, ask.changes, ask.updates)
		}
	}
	if n := f.NamedChangesWithin(scope("shop", "pods"), "web", after(0), after(20)); n != 2 {
		t.Errorf("web was changed %d times, want 2", n)
	}
	if n := f.NamedChangesWithin(scope("shop", "pods"), "db", after(0), after(20)); n != 0 {
		t.Errorf("db was changed %d times, want 0", n)
	}
	if !f.BeyondWithin(scope("", "pods"), 569, after(14), after(15)) || f.BeyondWithin(scope("", "pods"), 570, after(0), after(20)) ||
		f.BeyondWithin(scope("shop", "pods"), 569, after(0), after(13)) {
		t.Error("the version that an update names is not found, or found where it is not")
	}
	if f.WritesOf(scope("shop", "pods")) != 3 {
		t.Errorf("%d writes in shop, want 3", f.WritesOf(scope("shop", "pods")))
	}
}

func TestAnEvictionDeletes(t *testing.T) {
	e := done(t, 1, 2, "drainer create shop/pods/web 201")
	e.Subresource = audit.Intern("eviction")
	f := facts(e)
	if n := f.ChangesWithin(scope("shop", "pods"), after(0), after(3)); n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
	if d, ok := f.LastDelete(scope("shop", "pods"), after(3)); !ok || d.Name != "web" {
		t.Errorf("last delete %v %t", d, ok)
	}
}

func TestTheLastDeleteBeforeATimeHasItsActor(t *testing.T) {
	var events []*audit.Event
	for i := range 200 { // more than there are cells
		text := fmt.Sprintf("user-%d delete shop/services/svc-%d 200", i%7, i)
		events = append(events, done(t, float64(100*i), float64(100*i+1), text))
	}
	f := facts(events...)
	if _, ok := f.LastDelete(scope("", "services"), after(0)); ok {
		t.Error("a delete is found before the first")
	}
	d, ok := f.LastDelete(scope("", "services"), after(1e6))
	if want := "user-3 svc-199"; !ok || d.Client.User.String()+" "+d.Name != want {
		t.Errorf("the last is by %s of %s, want %s", d.Client.User, d.Name, want)
	}
	if diff := cmp.Diff(events[199].Ref(), d.Ref); diff != "" || d.Received != after(19900) || d.Verb != "delete" {
		t.Errorf("reference (-want +got):\n%s", diff)
	}
	for _, s := range []float64{501, 5050, 12345} {
		d, ok := f.LastDelete(scope("shop", "services"), after(s))
		if !ok || d.At > after(s) || after(s).Sub(d.At) > 30*time.Minute { // a cell of a sixteenth
			t.Errorf("before %g: %v %t", s, d.At, ok)
		}
	}
}

func TestOneWriterIsToldFromSeveral(t *testing.T) {
	alice := Client{audit.Intern("alice"), audit.Intern("alice/v1.30.0"), audit.Intern("10.0.0.7")}
	none := facts(done(t, 0, 1, "bob list shop/pods 200"), done(t, 0, 1, "bob create shop/pods/web 403"))
	if got, all := none.AllWriters(); !all || len(got) != 0 {
		t.Errorf("writers of a log without writes: %v, all %t", got, all)
	}
	one := facts(done(t, 0, 1, "alice create shop/pods/web 201"), done(t, 2, 3, "alice delete shop/pods/web 200"))
	if got, all := one.AllWriters(); !all || !slices.Equal(got, []Client{alice}) {
		t.Errorf("writers %v, all %t, want alice alone", got, all)
	}
	many := facts()
	for i := range 2 * maxWriters {
		many.Observe(done(t, 0, 1, fmt.Sprintf("user-%d create shop/pods/web 201", i)), true)
	}
	many.Observe(done(t, 0, 1, "alice create play/pods/web 201"), true)
	if _, all := many.AllWriters(); all {
		t.Error("too many writers are told apart")
	}
	if got, all := many.Writers(scope("play", "pods")); !all || !slices.Equal(got, []Client{alice}) {
		t.Errorf("writers in play: %v, all %t", got, all)
	}
	if _, all := many.Writers(scope("shop", "pods")); all {
		t.Error("too many writers of a scope are told apart")
	}
	if got, all := many.Writers(scope("none", "pods")); !all || len(got) != 0 {
		t.Errorf("writers where nothing was written: %v, all %t", got, all)
	}
}

func TestANamespacesDeletionIsFound(t *testing.T) {
	f := facts(
		done(t, 1, 2, "alice delete shop/namespaces/shop 200"),
		done(t, 3, 4, "alice delete shop/namespaces/shop 404"),
		done(t, 5, 6, "alice delete play/pods/web 200"),
	)
	if got, all := f.NamespaceDeleted("shop"); !all || !slices.Equal(got, []tally.Interval{{From: after(1), To: after(2)}}) {
		t.Errorf("got %v, all %t", got, all)
	}
	if got, all := f.NamespaceDeleted("play"); !all || len(got) != 0 {
		t.Errorf("play was deleted: %v, all %t", got, all)
	}
}

func TestTheNamespaceControllerShowsThatANamespaceIsDeleted(t *testing.T) {
	const controller = "system:serviceaccount:kube-system:namespace-controller"
	ended := done(t, 3, 4, controller+" update shop/namespaces/shop 200")
	ended.Subresource = audit.Intern("finalize")
	f := facts(
		done(t, 1, 2, controller+" deletecollection shop/services 200"), ended,
		done(t, 5, 6, "alice deletecollection play/services 200"),
		done(t, 7, 8, controller+" update play/namespaces/play 200"),
	)
	if got, _ := f.NamespaceDeleted("shop"); !slices.Equal(got, []tally.Interval{{From: after(1), To: after(2)}, {From: after(3), To: after(4)}}) {
		t.Errorf("got %v", got)
	}
	if got, _ := f.NamespaceDeleted("play"); len(got) != 0 {
		t.Errorf("play was deleted: %v", got)
	}
}

func TestDeletionsOfManyNamespacesAreKept(t *testing.T) {
	f := facts()
	for i := range 2 * maxDeletedNamespaces {
		from, to := float64(i), float64(i+1)
		f.Observe(done(t, from, to, fmt.Sprintf("ci delete run-%d/namespaces/run-%d 200", i, i)), true)
		f.Observe(done(t, from, to, "ci delete e2e/namespaces/e2e 200"), true)
	}
	again, _ := f.NamespaceDeleted("e2e")
	if len(again) == 0 || again[0].From != after(0) || again[len(again)-1].To != after(2*maxDeletedNamespaces) {
		t.Errorf("a namespace that is deleted often: %v", again)
	}
	if gone, all := f.NamespaceDeleted("other"); !all || len(gone) != 0 {
		t.Errorf("a namespace that was not deleted: %v, all %t", gone, all)
	}
	for i := range 2 * maxDeletedNamespaces {
		if gone, all := f.NamespaceDeleted(fmt.Sprintf("run-%d", i)); all == (len(gone) == 0) {
			t.Fatalf("one of many namespaces that were deleted: %v, all %t", gone, all)
		}
	}
}

// TestNamespacesGoingAreRememberedHoweverTheLogIsCut cuts the deletions of a few
// namespaces, of which fewer are kept, everywhere.
func TestNamespacesGoingAreRememberedHoweverTheLogIsCut(t *testing.T) {
	names := []string{"a", "b", "c", "d", "b", "e", "f", "a", "g"}
	observe := func(names []string) *namespacesGoing {
		n := newNamespacesGoing(4)
		for _, name := range names {
			n.observe(name, noon, after(1))
		}
		return &n
	}
	text := func(n *namespacesGoing) string {
		b, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	whole := observe(names)
	for cut := range names {
		parts, turned := observe(names[:cut]), observe(names[cut:])
		parts.merge(observe(names[cut:]))
		turned.merge(observe(names[:cut]))
		if text(parts) != text(whole) || text(turned) != text(whole) {
			t.Errorf("cut at %d: not the same", cut)
		}
	}
	f := facts()
	f.Writes.Namespaces = *whole
	for _, name := range names {
		if gone, all := f.NamespaceDeleted(name); all == (len(gone) == 0) {
			t.Errorf("%s was deleted: got %v, all %t", name, gone, all)
		}
	}
	if gone, all := f.NamespaceDeleted("h"); len(gone) > 0 || !all {
		t.Errorf("h was not deleted: got %v, all %t", gone, all)
	}
}
