package hijackedlatency

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A target is an object that connections were upgraded to, and how they ended.
type target struct {
	resource, name string

	dead  []upgrade // upgrades that ended at once
	lived bool      // some upgrade lasted
}

// reportDead reports upgrades that ended at once, by target. It needs both
// ResponseStarted and ResponseComplete of an upgrade.
func (s *State) reportDead(p *analysis.Pass) {
	within := p.Duration(optDeadWithin)
	targets := map[string]*target{}
	var order []string
	for _, row := range s.Upgrades.Sorted() {
		u := row.Value
		if u.Started == 0 || u.Ended == 0 {
			continue
		}
		path := u.Resource + "/" + u.Target
		t := targets[path]
		if t == nil {
			t = &target{resource: u.Resource, name: u.Target}
			targets[path] = t
			order = append(order, path)
		}
		if u.Ended.Sub(u.Started) <= within {
			t.dead = append(t.dead, u)
		} else {
			t.lived = true
		}
	}
	slices.Sort(order)
	for _, path := range order {
		if t := targets[path]; len(t.dead) > 0 {
			s.reportTarget(p, t)
		}
	}
}

func (s *State) reportTarget(p *analysis.Pass, t *target) {
	slices.SortFunc(t.dead, func(a, b upgrade) int { return a.EndedRef.Compare(b.EndedRef) })
	n, subject := len(t.dead), p.Key.Subject()
	subject.Resource, subject.Name = t.resource, t.name
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Possible, Subject: subject, Count: n,
		First: t.dead[0].Started, Last: t.dead[n-1].Ended,
		Details: analysis.Details{"kind": kindDead, "deadUpgrades": n},
		Title: analysis.Plain(fmt.Sprintf("%s of %s to %s/%s ended within %s of the upgrade",
			analysis.Counted(n, subject.Subresource+" session"), subject.User, t.resource, t.name, p.Duration(optDeadWithin).Round(time.Millisecond))),
		Caveats: []string{"A command that ends at once looks the same."},
	}
	if n >= p.Int(optDeadUpgrades) && !t.lived {
		f.Severity, f.Confidence = analysis.Warning, analysis.Likely
		f.Caveats = nil
	}
	f.First = slices.MinFunc(t.dead, func(a, b upgrade) int { return cmp.Compare(a.Started, b.Started) }).Started
	var refs []audit.Ref
	for _, u := range t.dead[:min(n, analysis.MaxEvidence)] {
		refs = append(refs, u.EndedRef)
	}
	f.Evidence = analysis.Cite(refs...)
	p.Report(f)
}
