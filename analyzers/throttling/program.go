package throttling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// kindProgram is the kind of a finding about many users of one program who were
// refused at one time: the kubelets of all nodes, or an agent that each tenant
// runs as its own user.
const kindProgram = "program"

// joinPrograms joins the findings about users of one program who were refused at
// one time while the same other user made the load: what hit one of them hit all.
// If all are information, joinVictims joins them, whatever their programs.
func joinPrograms(findings []analysis.Finding) []analysis.Finding {
	type program struct{ agent, pressure string }
	of, all := map[program][]analysis.Finding{}, []analysis.Finding(nil)
	for _, f := range findings {
		by := f.Details.Text("pressure")
		if f.Details.Text("kind") != kindRefused || f.Subject.UserAgent == "" || by != "" && by == analysis.Plain(f.Subject.User) {
			all = append(all, f)
			continue
		}
		p := program{f.Subject.UserAgent, by}
		of[p] = append(of[p], f)
	}
	for p, alike := range of {
		for _, members := range analysis.AtOneTime(alike) {
			if users(members) <= fewVictims || p.pressure != "" && onlyInfo(members) {
				all = append(all, members...)
				continue
			}
			all = append(all, joinProgram(members))
		}
	}
	analysis.SortFindings(all)
	return all
}

func onlyInfo(findings []analysis.Finding) bool {
	return !slices.ContainsFunc(findings, func(f analysis.Finding) bool { return f.Severity != analysis.Info })
}

// joinProgram makes one finding of those about users of one program.
func joinProgram(members []analysis.Finding) analysis.Finding {
	f, names := joined(members)
	product, _, _ := strings.Cut(f.Subject.UserAgent, " ")
	worst := worstOf(members)
	f.Details = analysis.Details{
		"kind": kindProgram, "refused": f.Count, "users": len(names), "clients": names[:min(len(names), maxClients)],
		"share": round(worst.refusedShare()), "requests": worst.requests,
	}
	for _, key := range []string{"pressure", "pressureRequests", "pressureShare", "pressureOf"} {
		if value, ok := members[0].Details[key]; ok {
			f.Details[key] = value
		}
	}
	load := "; no single client made half of all requests in that minute"
	together := float64(worst.requests) / float64(max(1, worst.share.All))
	switch by := f.Details.Text("pressure"); {
	case by != "":
		load = "; " + by + " made the load"
	case !worst.share.Exact:
		load = ""
	case together >= leastShare:
		load = fmt.Sprintf("; together they made %s of all requests in that minute (%d)", percent(together), worst.requests)
	}
	f.Title = analysis.Plain(fmt.Sprintf("%d users of %s were refused %s (429) on %s: %s of their requests in the worst minute%s",
		len(names), product, analysis.Times(f.Count), on(&f.Subject), worst.percent(worst.refusedShare()), load))
	return f
}

// worstOf returns the minute in which most requests of all members were refused.
// It compares only minutes that were the worst of one member, and of these only
// as many as judged says.
func worstOf(members []analysis.Finding) (worst minute) {
	asked := map[tally.Interval]bool{}
	for i := range members {
		m := members[i].Details[detailWorst].(minute)
		if asked[m.step] || len(asked) == judged {
			continue
		}
		asked[m.step] = true
		if m.refused = refusedIn(pointers(members), m.step); m.refused > worst.refused {
			m.requests, m.known = requestsOf(members, m.share)
			m.known = m.known && m.requests >= m.refused
			m.requests = max(m.requests, m.refused)
			worst = m
		}
	}
	return worst
}

// requestsOf returns how many requests the members' users made with their program.
// See Share.Of.
func requestsOf(members []analysis.Finding, share *analysis.Share) (n int64, all bool) {
	known, all := map[string]bool{}, true
	for i := range members {
		m := members[i].Details[detailWorst].(minute)
		if !known[members[i].Subject.User] {
			known[members[i].Subject.User] = true
			made, sure := share.Of(m.user, m.agent)
			n, all = n+made, all && sure
		}
	}
	return n, all
}

func pointers(findings []analysis.Finding) []*analysis.Finding {
	all := make([]*analysis.Finding, len(findings))
	for i := range findings {
		all[i] = &findings[i]
	}
	return all
}
