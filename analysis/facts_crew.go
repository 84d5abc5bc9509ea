package analysis

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// crewWrites is how many writes of the list of API servers are kept one by one:
// it changes when one of them comes or goes.
const crewWrites = 32

var (
	nsDefault     = audit.Intern("default")
	resEndpoints  = audit.Intern("endpoints")
	resSlices     = audit.Intern("endpointslices")
	kubernetesSvc = "kubernetes"
)

// observeCrew keeps when an API server wrote the endpoints of the Service
// default/kubernetes: all servers of the cluster, with itself. Each looks every
// ten seconds who else is there, and writes them only if that has changed.
func (l *logFacts) observeCrew(e *audit.Event) {
	if e.Namespace == nsDefault && (e.Resource == resEndpoints || e.Resource == resSlices) &&
		string(e.Name) == kubernetesSvc && e.Wrote() {
		l.Crew.Add(e.At, e.At)
	}
}

// Strangers returns when API servers came or went whose logs are not here: a
// server that is here changed the list of servers, and none of those that are
// here came or went then. A client that falls silent in these logs may have
// been heard there.
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

// crewChanged reports whether an API server whose log is here came or went
// within so long of t that it explains a change of the list of servers: 15 s
// until it is missed, 10 s until somebody looks, as much again for a slow one.
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
		for _, hole := range log.holes() {
			if near(hole.From) || near(hole.To) {
				return true
			}
		}
	}
	return false
}

const crewSlack = time.Minute
