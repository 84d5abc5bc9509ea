package analysis

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// The crew are all API servers of a cluster. Each lists all of them in the endpoints of
// the Service default/kubernetes: it looks every ten seconds who is there, and writes the
// list only if that has changed.

// crewWrites is how many writes of the list are kept one by one.
const crewWrites = 32

var (
	nsDefault     = audit.Intern("default")
	resEndpoints  = audit.Intern("endpoints")
	resSlices     = audit.Intern("endpointslices")
	kubernetesSvc = "kubernetes"
)

// observeCrew keeps when an API server wrote the list of the crew.
func (l *logFacts) observeCrew(e *audit.Event) {
	if e.Namespace == nsDefault && (e.Resource == resEndpoints || e.Resource == resSlices) &&
		string(e.Name) == kubernetesSvc && e.Wrote() {
		l.Crew.Add(e.At, e.At)
	}
}

// Strangers returns, in order, when API servers whose logs were not read came or went: the
// list of servers changed, though no server whose log was read started or stopped. A
// client that falls silent in these logs may have gone to such a server.
func (f *Facts) Strangers() []audit.Time {
	var found []audit.Time
	for _, log := range f.LogNames() {
		for _, write := range f.Logs[log].Crew.Pairs {
			if !f.crewChanged(write.To) {
				found = append(found, write.To)
			}
		}
	}
	slices.Sort(found)
	return found
}

// crewChanged reports whether an API server whose log was read came or went so near to t
// that it explains a change of the list.
func (f *Facts) crewChanged(t audit.Time) bool {
	near := func(other audit.Time) bool {
		apart := t.Sub(other)
		return -crewSlack/2 <= apart && apart <= crewSlack
	}
	for _, name := range f.LogNames() {
		log := f.Logs[name]
		if near(log.Span.First) || near(log.Span.Last) ||
			slices.ContainsFunc(f.Starts(name), near) || slices.ContainsFunc(f.Stops(name), near) {
			return true
		}
		for _, hole := range f.Holes(name) {
			if near(hole.From) || near(hole.To) {
				return true
			}
		}
	}
	return false
}

// crewSlack is how long after a server came or went the list may change: 15 s until it is
// missed, 10 s until another one looks, and as much again for slow ones.
const crewSlack = time.Minute
