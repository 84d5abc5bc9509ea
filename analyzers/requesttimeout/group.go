package requesttimeout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// fewClients have a finding each; maxNamed is how many others name.
const fewClients, maxNamed = 2, 16

// A program is what findings for information have in common that have one cause:
// the server was slow for all kubelets, or a program asks for times that are none.
type program struct {
	agent, group, resource string
	unread                 bool
}

// group makes one finding of those for information about many clients of one
// program, one resource and one time. Warnings are left as they are, since each
// is of requests that the server failed; an incident ties them together.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	of, all := map[program][]analysis.Finding{}, ownLog(p)
	for _, f := range findings {
		own := f.Details.Int("ownTimeouts") + f.Details.Int("clientAborts")
		unread := f.Details.Int("badTimeouts")
		if f.Severity != analysis.Info || f.Subject.UserAgent == "" || f.Count != own+unread || own > 0 && unread > 0 {
			all = append(all, f)
			continue
		}
		kind := program{f.Subject.UserAgent, f.Subject.APIGroup, f.Subject.Resource, unread > 0}
		of[kind] = append(of[kind], f)
	}
	for _, alike := range of {
		for _, members := range analysis.AtOneTime(alike) {
			if clients, names := clientsOf(members); clients > fewClients {
				members = []analysis.Finding{join(members, clients, names)}
			}
			all = append(all, members...)
		}
	}
	analysis.SortFindings(all)
	return all
}

// clientsOf counts the clients that findings of one program are about, and names
// them in order: by their users, or by their addresses if they share one user.
func clientsOf(findings []analysis.Finding) (clients int, names []string) {
	users, addresses := map[string]bool{}, map[string]bool{}
	for i := range findings {
		s := &findings[i].Subject
		users[analysis.Plain(s.User)], addresses[analysis.Plain(s.SourceIP)] = true, true
	}
	if len(users) == 1 {
		users = addresses
	}
	return len(findings), slices.Sorted(maps.Keys(users))
}

// join makes one finding of several.
func join(members []analysis.Finding, clients int, names []string) analysis.Finding {
	f := analysis.Join(members)
	d, verbs, longest := maps.Clone(members[0].Details), tally.Set{Cap: maxVerbs}, 0.0
	counts := []string{"ownTimeouts", "clientAborts", "badTimeouts"}
	for _, key := range counts {
		d[key] = 0
	}
	for i := range members {
		m := &members[i]
		for _, caveat := range m.Caveats {
			if !slices.Contains(f.Caveats, caveat) {
				f.Caveats = append(f.Caveats, caveat)
			}
		}
		for _, key := range counts {
			d[key] = d.Int(key) + m.Details.Int(key)
		}
		for _, verb := range m.Details["verbs"].([]string) {
			verbs.Add(verb)
		}
		longest = max(longest, m.Details.Float("maxSeconds"))
	}
	d["verbs"], d["maxSeconds"] = verbs.Members(), longest
	d["clients"], d["clientNames"] = clients, names[:min(len(names), maxNamed)]
	f.Details, f.Marks = d, analysis.Coarsen(f.Marks)
	product, _, _ := strings.Cut(f.Subject.UserAgent, " ")
	f.Title = title(fmt.Sprintf("%d clients of %s", clients, product), f.Subject, counted{own: d.Int("ownTimeouts"), left: d.Int("clientAborts"), unread: d.Int("badTimeouts")})
	return f
}
