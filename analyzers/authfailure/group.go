package authfailure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

const (
	fewClients = 2  // up to so many clients of one program have a finding each
	maxClients = 16 // so many are named in a finding about more
)

// A program is what findings with one cause have in common, such as an expired certificate
// of all kubelets, or a role that all tenants' agents lost.
type program struct {
	kind, agent, asked string
	severity           analysis.Severity
}

// group makes one finding of several about many clients of one program that were refused at
// one time, and the same thing unless they failed authentication.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	findings, known := spread(p, findings)
	of, all := map[program][]analysis.Finding{}, []analysis.Finding(nil)
	for _, f := range findings {
		if f.Subject.UserAgent == "" {
			all = append(all, f)
			continue
		}
		p := program{kind: f.Details.Text("kind"), agent: f.Subject.UserAgent, severity: f.Severity}
		if p.kind != kindUnauthenticated.String() {
			p.asked = strings.Join(asked(&f), "\x00")
		}
		of[p] = append(of[p], f)
	}
	for _, alike := range of {
		for _, members := range analysis.AtOneTime(alike) {
			if names := clients(members); len(names) > fewClients {
				members = []analysis.Finding{join(p, members, names, known)}
			}
			all = append(all, members...)
		}
	}
	analysis.SortFindings(all)
	return all
}

// asked returns what a finding says was asked for.
func asked(f *analysis.Finding) []string {
	all, _ := f.Details["asked"].([]string)
	return all
}

// clients names whom findings are about, sorted: users, or addresses if no user is known.
func clients(findings []analysis.Finding) (names []string) {
	for i := range findings {
		names = append(names, analysis.Plain(cmp.Or(findings[i].Subject.User, findings[i].Subject.SourceIP)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// join makes one finding of several. names are those of their clients, which were known
// before as the logins say.
func join(p *analysis.Pass, members []analysis.Finding, names []string, known logins) analysis.Finding {
	analysis.SortFindings(members)
	f := analysis.Join(members)
	f.Caveats = slices.Clone(members[0].Caveats)
	said, wanted, users := tally.Set{Cap: 4}, tally.Set{Cap: 16}, tally.Set{Cap: maxUsers}
	for i := range members {
		m := &members[i]
		if m.Details.Text("kind") == kindUnauthenticated.String() {
			for _, user := range known.before(p, m) {
				users.Add(user)
			}
		}
		for _, text := range asked(m) {
			wanted.Add(text)
		}
		if messages, ok := m.Details["messages"].([]string); ok {
			for _, text := range messages {
				said.Add(text)
			}
		}
	}
	worst := mostWithin(f.Marks, p.Duration(optWindow))
	f.Marks = analysis.Coarsen(f.Marks)
	f.Details = analysis.Details{
		"kind": members[0].Details["kind"], "failures": f.Count, "worstWindow": int(worst), "members": len(names), "clients": names[:min(len(names), maxClients)],
		"asked": wanted.Members(), "userAgents": []string{analysis.Plain(f.Subject.UserAgent)}, "messages": said.Members(),
	}
	if users.Exact() && users.Len() > 0 {
		f.Details["knownAs"] = analysis.PlainAll(users.Members())
	}
	f.Title = titleOf(&f, len(names))
	return f
}

// titleOf says how many clients of which program were refused what.
func titleOf(f *analysis.Finding, members int) string {
	product, _, _ := strings.Cut(f.Subject.UserAgent, " ")
	span, what := max(time.Second, f.Last.Sub(f.First)).Round(time.Second), analysis.FirstOf(2, asked(f))
	title := fmt.Sprintf("%d users of %s were refused %d times (403) within %s: %s", members, product, f.Count, span, what)
	switch f.Details.Text("kind") {
	case kindUnauthenticated.String():
		title = fmt.Sprintf("%d requests of %s from %d addresses failed authentication (401) within %s: %s%s", f.Count, product, members, span, what, before(f))
	case kindNode.String():
		title = fmt.Sprintf("%d nodes were refused %d times (403) what is not known to belong to them, within %s: %s", members, f.Count, span, what)
	case kindAdmission.String():
		said, _ := f.Details["messages"].([]string)
		title = fmt.Sprintf("%d users of %s were refused %d times (403) by admission, within %s: %s%s", members, product, f.Count, span, what, because(said))
	}
	return analysis.Plain(title)
}
