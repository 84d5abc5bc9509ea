package analysis

import (
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	maxDeletedNamespaces = 4096 // a CI makes thousands a day
	namespaceIntervals   = 32   // deletions of one namespace that are known one by one
)

// namespacesGoing are the namespaces that were deleted, and when. Once there are as many as
// Known holds, All has the names of all of them, to tell that others were not deleted.
type namespacesGoing struct {
	Known tally.Table[tally.Intervals] `json:"known"`
	All   tally.Filter                 `json:"all"`
}

func newNamespacesGoing(most int) namespacesGoing {
	return namespacesGoing{Known: tally.Table[tally.Intervals]{Cap: most}}
}

func (n *namespacesGoing) full() bool { return len(n.Known.Rows) >= n.Known.Cap }

func (n *namespacesGoing) observe(name string, from, to audit.Time) {
	if n.full() {
		n.All.Add(name)
	}
	if d := n.Known.At(name); d != nil {
		d.Cap = namespaceIntervals
		d.Add(from, to)
	}
	if n.full() && n.All.Empty() {
		n.addAll(n.Known.Rows)
	}
}

func (n *namespacesGoing) addAll(rows []tally.Row[tally.Intervals]) {
	for i := range rows {
		n.All.Add(rows[i].Name)
	}
}

func (n *namespacesGoing) merge(o *namespacesGoing) {
	mine := slices.Clone(n.Known.Rows)
	n.Known.Merge(&o.Known)
	n.All.Merge(&o.All)
	if n.full() {
		n.addAll(mine)
		n.addAll(o.Known.Rows)
	}
}

// namespaceGoing returns the namespace that a write shows to be deleted, if any. It may have
// been deleted by way of another API server: then the namespace-controller's writes show it,
// which clears it of Services, among others, and ends it.
func namespaceGoing(e *audit.Event) string {
	switch {
	case e.Resource == resNamespaces && (e.Verb == audit.VerbDelete && e.Subresource == (audit.Sym{}) || e.Subresource == subFinalize):
		return NameOf(e.Name)
	case e.Verb == audit.VerbDeleteCollection && e.Resource == resServices && e.Group == (audit.Sym{}) && e.User == userNamespaces:
		return e.Namespace.String()
	}
	return ""
}

// NamespaceDeleted returns when requests that show that the namespace was deleted were made,
// each from receipt to answer: those that ask for it, after which its objects are deleted, and
// those by which the namespace-controller does it. Of many, some are joined to longer times.
// all is false if more namespaces were deleted than are known with their times, and this one
// was, or may have been, among them.
func (f *Facts) NamespaceDeleted(ns string) (gone []tally.Interval, all bool) {
	n := &f.Writes.Namespaces
	if d := n.Known.Get(ns); d != nil {
		return d.Joined(), true
	}
	return nil, n.Known.Exact() || !n.All.Has(ns)
}
