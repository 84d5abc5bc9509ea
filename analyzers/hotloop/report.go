package hotloop

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Report reports the loops on single objects, then those of clients that
// rewrite many.
func (s *State) Report(p *analysis.Pass) {
	items := s.items()
	objects, of := byObject(items)
	single := map[writer][]loop{} // loops that one client makes by itself
	var order []writer
	var rest []item // writes to other objects
	for _, o := range objects {
		l, ok := judge(p, o, of[o])
		if !ok {
			rest = append(rest, writesOf(of[o])...)
			continue
		}
		writers, _ := byWriter(writesOf(joined(l.stretches)))
		if len(writers) != 1 {
			report(p, l)
			continue
		}
		if _, ok := single[writers[0]]; !ok {
			order = append(order, writers[0])
		}
		single[writers[0]] = append(single[writers[0]], l)
	}
	for _, w := range order {
		for _, l := range join(p, single[w]) {
			report(p, l)
		}
	}
	sortItems(rest)
	writers, by := byWriter(rest)
	for _, w := range writers {
		if stretches := many(p, by[w]); len(stretches) > 0 {
			hit, _ := byObject(joined(stretches))
			report(p, loop{kindMany, hit, stretches})
		}
	}
}

// join makes one loop of those that a client makes on many objects.
func join(p *analysis.Pass, loops []loop) []loop {
	if len(loops) < max(2, p.Int(optManyObjects)) {
		return loops
	}
	all := loop{kind: kindMany}
	for _, l := range loops {
		all.objects = append(all.objects, l.objects...)
		all.stretches = append(all.stretches, l.stretches...)
	}
	return []loop{all}
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

// followsPods reports whether pods of the loop's namespaces changed as often
// as the objects that follow them, or half as often.
func followsPods(p *analysis.Pass, l *loop, from, to audit.Time) bool {
	if !follows[[2]string{p.Key.Group.String(), p.Key.Resource.String()}] {
		return false
	}
	const before = 10e6 // microseconds: pods that change in a burst are caught up with at a client's pace
	changes, seen := 0, map[string]bool{}
	for _, o := range l.objects {
		if !seen[o.namespace] {
			seen[o.namespace] = true
			pods := analysis.Scope{Resource: audit.Intern("pods"), Namespace: audit.Intern(o.namespace)}
			changes += p.Facts.ChangesWithin(pods, from-before, to) + p.Facts.UpdatesWithin(pods, from-before, to)
		}
	}
	t := total(joined(l.stretches))
	return 2*float64(changes) >= t.writes-t.conflicts && changes > 0
}
