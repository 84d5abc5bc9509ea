package throttling

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// kindVictims is the kind of a finding about several users who were refused a
// little while another made the load.
const kindVictims = "victims"

// fewVictims is up to how many users keep a finding each.
const fewVictims = 2

// joinVictims joins findings of severity info about users who were refused in the
// same minute while the same other user made the load.
func joinVictims(findings []analysis.Finding) []analysis.Finding {
	type load struct {
		minute tally.Interval
		by     string
	}
	of, all := map[load][]analysis.Finding{}, []analysis.Finding(nil)
	for _, f := range findings {
		by := f.Details.Text("pressure")
		if f.Severity != analysis.Info || f.Details.Text("kind") != kindRefused || by == "" || by == analysis.Plain(f.Subject.User) {
			all = append(all, f)
			continue
		}
		l := load{f.Details[detailWorst].(minute).step, by}
		of[l] = append(of[l], f)
	}
	for _, victims := range of {
		if users(victims) <= fewVictims {
			all = append(all, victims...)
			continue
		}
		all = append(all, join(victims))
	}
	analysis.SortFindings(all)
	return all
}

func users(victims []analysis.Finding) int {
	names := map[string]bool{}
	for i := range victims {
		names[victims[i].Subject.User] = true
	}
	return len(names)
}

// joined makes one finding of several, still without title and details, and
// returns the names of its users in alphabetical order.
func joined(victims []analysis.Finding) (f analysis.Finding, users []string) {
	analysis.SortFindings(victims)
	f = analysis.Join(victims)
	f.Caveats = victims[0].Caveats
	names := map[string]bool{}
	for i := range victims {
		names[analysis.Plain(victims[i].Subject.User)] = true
	}
	if f.Subject == (analysis.Subject{}) {
		f.Subject.Resource = analysis.AnyResource
	}
	f.Marks = analysis.Coarsen(f.Marks)
	return f, slices.Sorted(maps.Keys(names))
}

// on names the resource that requests were refused on, or says that they are
// several.
func on(s *analysis.Subject) string {
	if s.Resource != "" && s.Resource != analysis.AnyResource {
		return s.Resource
	}
	return "several resources"
}

// join makes one finding of the victims of one load.
func join(victims []analysis.Finding) analysis.Finding {
	f, names := joined(victims)
	first := &victims[0]
	f.Details = analysis.Details{
		"kind": kindVictims, "refused": f.Count, "users": len(names), "clients": names[:min(len(names), maxClients)],
		"pressure": first.Details["pressure"], "pressureRequests": first.Details["pressureRequests"],
		"pressureShare": first.Details["pressureShare"], "pressureOf": first.Details["pressureOf"],
	}
	f.Title = analysis.Plain(fmt.Sprintf("%d users were refused %s (429) on %s while %s made the load", len(names), analysis.Times(f.Count), on(&f.Subject), first.Details.Text("pressure")))
	return f
}
