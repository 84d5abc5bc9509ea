package throttling

import (
	"cmp"
	"fmt"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// Details that Report hands on to group, which removes them: the worst minute
// and all minutes.
const (
	detailWorst   = "worst"
	detailMinutes = "minutes"
)

// addUp adds to each finding how much the client was refused on all resources in
// its worst minute, and who made the load then. Priority and fairness mostly
// limits a client over all resources, so one resource shows only a part.
func addUp(p *analysis.Pass, findings []analysis.Finding) {
	type client struct{ user, agent string }
	of := map[client][]*analysis.Finding{}
	culprits := culprits{known: map[tally.Interval]culprit{}}
	for i := range findings {
		if f := &findings[i]; f.Details.Text("kind") == kindRefused {
			c := client{f.Subject.User, f.Subject.UserAgent}
			of[c] = append(of[c], f)
			culprits.refused = append(culprits.refused, f)
		}
	}
	for _, all := range of {
		for _, f := range all {
			worst := f.Details[detailWorst].(minute)
			total(f, &worst, refusedIn(all, worst.step), culprits.of(&worst))
		}
		raise(p, all, &culprits)
	}
}

// refusedIn returns how many requests of the findings were refused in a minute.
func refusedIn(findings []*analysis.Finding, minute tally.Interval) int64 {
	n := int64(0)
	for _, f := range findings {
		for step, m := range f.Details[detailMinutes].(*tally.Cells[Minute]).All() {
			if step.From >= minute.From && step.From < minute.To {
				n += m.Refused
			}
		}
	}
	return n
}

// total adds to a finding's title and details how many requests of the client
// were refused in all, and who made the load.
func total(f *analysis.Finding, worst *minute, refused int64, who culprit) {
	requests := max(worst.requests, refused)
	share := float64(refused) / float64(max(1, requests))
	f.Details["clientRefused"], f.Details["clientShare"] = refused, round(share)
	if refused > worst.refused {
		f.Title += fmt.Sprintf(", or %s with those refused on other resources", worst.percent(share))
	}
	f.Title += pressure(f, worst, who)
	if late := f.Details.Int("refusedLate"); late > 0 {
		f.Title += fmt.Sprintf("; %d were refused after waiting in a queue", late)
	}
}

// pressure puts into a finding's details who made the load, and returns the end
// of its title that says so.
func pressure(f *analysis.Finding, worst *minute, who culprit) string {
	if who.requests == 0 {
		if !worst.share.Exact {
			return ""
		}
		return "; no single client made half of all requests in that minute"
	}
	by := analysis.Plain(who.user.String())
	f.Details["pressure"], f.Details["pressureRequests"], f.Details["pressureShare"] = by, who.requests, round(who.share)
	if who.user == worst.user {
		by = "it"
	}
	of := "all requests"
	if f.Details["pressureOf"] = "all"; who.among {
		f.Details["pressureOf"], of = "refused", "the requests of all refused users"
	}
	return fmt.Sprintf("; %s made %s of %s in that minute (%d)", by, percent(who.share), of, who.requests)
}

// raise makes a warning of one of a client's findings, the one with the most
// refused requests, if all are information: when the requests refused on all
// resources together are serious, or when others were refused while this client
// made the load.
func raise(p *analysis.Pass, findings []*analysis.Finding, culprits *culprits) {
	most := findings[0]
	for _, f := range findings {
		if f.Severity != analysis.Info {
			return
		}
		if cmp.Or(cmp.Compare(f.Details.Int("clientRefused"), most.Details.Int("clientRefused")), cmp.Compare(f.Count, most.Count)) > 0 {
			most = f
		}
	}
	worst := most.Details[detailWorst].(minute)
	refused := int64(most.Details.Int("clientRefused"))
	others := culprits.othersRefused(&worst)
	starves := enough(p, refused) && enough(p, others)
	if starves {
		most.Details["othersRefused"] = others
		most.Title += fmt.Sprintf("; others were refused %s at that time", analysis.Times(int(others)))
	}
	if weigh(p, most, &worst, refused); starves {
		most.Severity = analysis.Warning
	}
}
