package authfailure

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A program that runs on every node and holds a bad credential may fail everywhere, and
// nowhere often enough for a burst. So a program at an address reports its few refusals as
// a part, and spread makes members of one finding of those that are a burst together.

// A place is one program at one address.
type place struct{ agent, address string }

func placeOf(f *analysis.Finding) place { return place{f.Subject.UserAgent, f.Subject.SourceIP} }

// reportPart reports the refusals of one program at one address, however few. Paths that
// are asked for without a credential are left to the address: load balancers and scanners
// do so.
func (s *State) reportPart(p *analysis.Pass) {
	all, most := s.count(p.Facts.AllStarts(), p.Duration(optWindow))
	onlyPaths := s.Asked.Exact() && s.Asked.Len() == 1 && s.Asked.Has(pathAsked)
	if all == 0 || onlyPaths && !s.said("attempted") {
		return
	}
	p.Report(s.finding(p, all, most))
}

// spread takes the parts out of findings. Those of a program that are a burst at more than
// a few addresses, where it was not let in soon after, come back as findings, in place of
// what was reported of these addresses. It also returns who was let in where.
func spread(p *analysis.Pass, findings []analysis.Finding) ([]analysis.Finding, logins) {
	parts, loud := map[string][]analysis.Finding{}, map[place]bool{}
	for i := range findings {
		f := &findings[i]
		switch kind := f.Details.Text("kind"); {
		case kind == kindProgram.String():
			parts[f.Subject.UserAgent] = append(parts[f.Subject.UserAgent], *f)
		case kind == kindUnauthenticated.String() && f.Severity == analysis.Warning:
			loud[placeOf(f)] = true
		}
	}
	known := loginsOf(p, parts)
	bursts, told := []analysis.Finding(nil), map[place]bool{}
	for _, alike := range parts {
		alike = slices.DeleteFunc(alike, func(f analysis.Finding) bool { return loud[placeOf(&f)] || known.madeGood(p, &f) })
		if len(alike) <= fewClients {
			continue
		}
		for _, members := range analysis.AtOneTime(alike) {
			if !burst(p, members) {
				continue
			}
			for i := range members {
				f := &members[i]
				f.Severity, f.Details["kind"] = analysis.Warning, kindUnauthenticated.String()
				told[placeOf(f)] = true
				bursts = append(bursts, *f)
			}
		}
	}
	findings = slices.DeleteFunc(findings, func(f analysis.Finding) bool {
		return f.Details.Text("kind") == kindProgram.String() || isTold(&f, told)
	})
	return append(findings, bursts...), known
}

// isTold reports whether all programs that a finding about an address names are in bursts.
func isTold(f *analysis.Finding, told map[place]bool) bool {
	agents, _ := f.Details["userAgents"].([]string)
	return f.Details.Text("kind") == kindUnauthenticated.String() && len(agents) > 0 &&
		!slices.ContainsFunc(agents, func(agent string) bool { return !told[place{agent, f.Subject.SourceIP}] })
}

// burst reports whether refusals at several addresses are a burst together.
func burst(p *analysis.Pass, members []analysis.Finding) bool {
	var marks []analysis.Mark
	for i := range members {
		marks = append(marks, members[i].Marks...)
	}
	return len(clients(members)) > fewClients && mostWithin(marks, p.Duration(optWindow)) >= int64(max(1, p.Int(optFailures)))
}

// mostWithin returns the most refusals within the window. A mark that is longer counts with
// its share.
func mostWithin(marks []analysis.Mark, window time.Duration) (most int64) {
	marks = slices.Clone(marks)
	slices.SortFunc(marks, func(a, b analysis.Mark) int { return cmp.Compare(a.From, b.From) })
	share := func(m analysis.Mark) int64 {
		if long := m.To.Sub(m.From); long > window {
			return int64(m.N) * int64(window/time.Microsecond) / int64(long/time.Microsecond)
		}
		return int64(m.N)
	}
	first, sum := 0, int64(0)
	for _, last := range marks {
		sum += share(last)
		for marks[first].From.Add(window) <= last.From {
			sum -= share(marks[first])
			first++
		}
		most = max(most, sum)
	}
	return most
}

// logins are the clients that were authenticated, by place: for places with refusals.
type logins map[place][]analysis.Client

// loginsOf returns the logins at the places of parts.
func loginsOf(p *analysis.Pass, parts map[string][]analysis.Finding) logins {
	known := logins{}
	if len(parts) == 0 {
		return known
	}
	p.Facts.Clients(func(c analysis.Client, _ tally.Span) {
		at := place{c.UserAgent.String(), c.SourceIP.String()}
		if c.User != (audit.Sym{}) && c.User.String() != anonymous && parts[at.agent] != nil {
			known[at] = append(known[at], c)
		}
	})
	return known
}

// madeGood reports whether a client read its credential again, or a person logged in, after
// a few tries: half of the minutes with refusals, or more, were the last for a window in
// which it was let in.
func (l logins) madeGood(p *analysis.Pass, f *analysis.Finding) bool {
	window, good := p.Duration(optWindow), 0
	for i, m := range f.Marks {
		until := m.To.Add(window)
		if i+1 < len(f.Marks) && f.Marks[i+1].From < until {
			continue
		}
		if slices.ContainsFunc(l[placeOf(f)], func(c analysis.Client) bool { return p.Facts.Heard(c, m.From, until) }) {
			good++
		}
	}
	return 2*good >= len(f.Marks)
}

// before returns as whom the clients of a finding were authenticated before it.
func (l logins) before(p *analysis.Pass, f *analysis.Finding) (users []string) {
	for _, c := range l[placeOf(f)] {
		if p.Facts.Heard(c, p.Facts.Chosen().First, f.First) {
			users = append(users, c.User.String())
		}
	}
	return users
}
