package analysis

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// missed are changes of the cluster that the logs do not have.
type missed struct {
	tally.Span
	changes int // that were made in it: versions of all objects come from one counter
	logged  int // of these, at most
}

// minMissed is how many changes tell: fewer are a cluster's start or its end, as
// a deletecollection, which is one write of many objects.
const minMissed = 300

// tellers are the resources that many clients write, and that make most of a
// cluster's changes. A policy that records all of them leaves out little else.
var tellers = []Scope{scopeLeases, {Resource: audit.Intern("events")}, {Resource: audit.Intern("pods")}, {Resource: audit.Intern("nodes")}}

var scopeLeases = Scope{Group: audit.Intern("coordination.k8s.io"), Resource: resLeases}

// missed returns how many changes logs lack whose policy records what is written
// most, and who writes most, and which have no long holes. The versions that
// Leases had when they were renewed tell how many there were. ok is false if the
// logs lack less than a third of them, or if that is not known.
func (f *Facts) missed() (m missed, ok bool) {
	unrecorded := slices.ContainsFunc(tellers, func(s Scope) bool { return f.WritesOf(s) == 0 }) || f.Seen.partly()
	if unrecorded || f.quiet() {
		return m, false
	}
	versions := f.Writes.of(scopeLeases).Versions.List
	if len(versions) < 2 || !f.Writes.Resources.exact() {
		return m, false
	}
	first, last := versions[0].Value, versions[len(versions)-1].Value
	if last.RV <= first.RV || leaps(versions) {
		return m, false
	}
	m = missed{tally.Span{First: first.At, Last: last.At}, int(last.RV - first.RV), 0}
	for _, scope := range f.Writes.Resources.sorted() {
		m.logged += f.WritesOf(scope)
	}
	return m, m.changes >= minMissed && 2*m.changes >= 3*m.logged
}

// leaps reports whether versions grew by half of all at once: then they are of two
// clusters, or of one that was made anew, or too few.
func leaps(versions []tally.Cell[version]) bool {
	most := uint64(0)
	for i := range versions[1:] {
		if before, after := versions[i].Value.RV, versions[i+1].Value.RV; after > before {
			most = max(most, after-before)
		}
	}
	return 2*most >= versions[len(versions)-1].Value.RV-versions[0].Value.RV
}

// quiet reports whether the logs have holes of a tenth of their time.
func (f *Facts) quiet() bool {
	var silent time.Duration
	for _, holes := range f.Holes() {
		for _, hole := range holes {
			silent += hole.Len()
		}
	}
	return 10*silent >= f.Span.Len()
}

// Partial reports whether API servers whose logs are not here serve the cluster,
// as far as these tell: one came or went, or a third of all changes is missing.
func (f *Facts) Partial() bool {
	if len(f.Strangers()) > 0 {
		return true
	}
	_, lacks := f.missed()
	return lacks
}

// missedNotes tell that the cluster changed more often than the logs do.
func (f *Facts) missedNotes() []Note {
	m, ok := f.missed()
	if !ok || len(f.Strangers()) > 0 { // of which another note tells
		return nil
	}
	return []Note{{
		kindOthers, m.First, m.Last, fmt.Sprintf(
			"The cluster was changed some %d times, as the versions of its Leases tell, and no more than %d of these changes are here: the others went by way of API servers whose logs are not here, or their lines are lost. "+
				"A client that falls silent may have gone to another server. Read the logs of all API servers together.", m.changes, m.logged),
	}}
}
