package analysis

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// missed counts changes of a cluster's objects and how many of them are in the logs.
type missed struct {
	tally.Span
	changes int // made within the span, as resourceVersions tell: all come from one counter
	logged  int // those of changes that are in the logs, at most
}

// minMissed is how many changes there must be for missed ones to mean anything. Fewer may
// be one deletecollection, which is one write of many objects, or a cluster's start.
const minMissed = 300

// tellers are the resources that are written most in every cluster. A policy that records
// writes of all of them leaves out few others.
var tellers = []Scope{scopeLeases, {Resource: audit.Intern("events")}, {Resource: audit.Intern("pods")}, {Resource: audit.Intern("nodes")}}

var scopeLeases = Scope{Group: audit.Intern("coordination.k8s.io"), Resource: resLeases}

// missed compares how many changes the cluster had, by the versions of its Leases, with how
// many the logs have. ok is true if the logs lack at least a third. It is false, too, if
// that can't be known: the policy leaves out what is written most, or the logs have long
// holes.
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

// leaps reports whether one step between versions is half of all their growth: then they
// are of two clusters, or of one that was set up again, or too few.
func leaps(versions []tally.Cell[version]) bool {
	most := uint64(0)
	for i := range versions[1:] {
		if before, after := versions[i].Value.RV, versions[i+1].Value.RV; after > before {
			most = max(most, after-before)
		}
	}
	return 2*most >= versions[len(versions)-1].Value.RV-versions[0].Value.RV
}

// quiet reports whether holes make a tenth of the logs' time.
func (f *Facts) quiet() bool {
	var silent time.Duration
	for log := range f.Logs {
		for _, hole := range f.Holes(log) {
			silent += hole.Len()
		}
	}
	return 10*silent >= f.Span.Len()
}

// Partial reports whether there are signs of API servers whose logs were not read: one came
// or went, or a third of all changes is missing.
func (f *Facts) Partial() bool {
	if len(f.Strangers()) > 0 {
		return true
	}
	_, lacks := f.missed()
	return lacks
}

// missedNotes tell that the logs lack many changes.
func (f *Facts) missedNotes() []Note {
	m, ok := f.missed()
	if !ok || len(f.Strangers()) > 0 { // of which another note tells
		return nil
	}
	return []Note{{
		kindOthers, m.First, m.Last, fmt.Sprintf(
			"The resourceVersions of Leases show some %d changes in the cluster, and no more than %d of them are in these logs: the others were made through API servers whose logs were not read, or their lines are lost. "+
				"A client that falls silent may have moved to another server. Read the logs of all API servers together.", m.changes, m.logged),
	}}
}
