package hotloop

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Report reports the loops on single objects, then those of clients that
// rewrite many, then waves of requests for tokens.
func (s *State) Report(p *analysis.Pass) {
	s.settle()
	loops := s.loops(p)
	type maker struct {
		writer
		measure
	}
	single := map[maker][]*loop{} // loops that one client makes by itself
	var order []maker
	for _, l := range loops {
		w, one := l.writer()
		if !one || l.kind == kindMany {
			s.report(p, l)
			continue
		}
		m := maker{w, l.measure}
		if single[m] == nil {
			order = append(order, m)
		}
		single[m] = append(single[m], l)
	}
	for _, m := range order {
		for _, l := range join(p, single[m]) {
			s.report(p, l)
		}
	}
	s.waves(p)
}

// loops looks for loops in the requests themselves where they are kept, else
// in the counts.
func (s *State) loops(p *analysis.Pass) (loops []*loop) {
	switch {
	case s.Writes.whole() && s.Reads.whole():
		return seen(p, &s.Writes, &s.Reads)
	case len(s.Writes.lines) == 0:
		return nil
	case s.Writes.whole():
		loops = seen(p, &s.Writes, nil)
		full := slices.DeleteFunc(slices.Clone(loops), isFaint)
		restless := s.census(p).restless(full)
		known := objectsOf(restless)
		return append(slices.DeleteFunc(loops, func(l *loop) bool { return isFaint(l) && l.within(known) }), restless...)
	}
	c := s.census(p)
	loops = c.loops()
	loops = append(loops, c.restless(loops)...)
	loops = append(loops, c.many(loops)...)
	loops = append(loops, c.wide(loops)...)
	return append(loops, c.slowTurns(loops)...)
}

// follows are resources whose status, or all of whose content, follows pods.
var follows = map[[2]string]bool{
	{"", "endpoints"}:                           true,
	{"", "replicationcontrollers"}:              true,
	{"apps", "deployments"}:                     true,
	{"apps", "replicasets"}:                     true,
	{"apps", "statefulsets"}:                    true,
	{"apps", "daemonsets"}:                      true,
	{"extensions", "deployments"}:               true,
	{"extensions", "replicasets"}:               true,
	{"extensions", "daemonsets"}:                true,
	{"batch", "jobs"}:                           true,
	{"batch", "cronjobs"}:                       true,
	{"discovery.k8s.io", "endpointslices"}:      true,
	{"policy", "poddisruptionbudgets"}:          true,
	{"autoscaling", "horizontalpodautoscalers"}: true,
	{"", "resourcequotas"}:                      true,
}

// isFollower reports whether the resource is one of those.
func isFollower(p *analysis.Pass) bool {
	return follows[[2]string{p.Key.Group.String(), p.Key.Resource.String()}]
}

// followsPods reports whether pods of the loop's namespaces changed as often
// as the objects that follow them, or half as often. known is false if that can't be told.
func followsPods(p *analysis.Pass, l *loop, from, to audit.Time) (follows, known bool) {
	if !isFollower(p) {
		return false, true
	}
	known = true
	const before = 10e6 // microseconds: pods that change in a burst are caught up with at a client's pace
	changes, seen := 0, map[audit.Sym]bool{}
	for i := range l.items {
		if ns := l.items[i].Namespace(); !seen[ns] {
			seen[ns] = true
			pods := analysis.Scope{Resource: audit.Intern("pods"), Namespace: ns}
			changes += p.Facts.ChangesWithin(pods, from-before, to) + p.Facts.UpdatesWithin(pods, from-before, to)
			known = known && p.Facts.Knows(pods)
		}
	}
	follows = 2*changes >= l.sum.writes && changes > 0
	return follows, follows || known
}
