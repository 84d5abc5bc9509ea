package requesttimeout

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

const (
	// atOnce is how close together requests are received that an API server has
	// in work when it is killed: hardly one takes longer.
	atOnce = 2 * time.Second
	// manyClients have no trouble of their own if all of them lose requests at once.
	manyClients = 3

	caveatKilled = "an API server that is killed, and lines that were lost, look the same as requests that hang"
	caveatPaused = "the log has no events for some seconds after them: lines that told of their ends may be missing"
	caveatTorn   = "the log has ends of requests soon after them whose beginnings are missing: so lines are missing, and may have told of their ends"
)

// instants takes out of the requests without end those that many clients sent at
// one time: what they have in common is the API server.
func (u *unended) instants(least int) (together [][]*begun) {
	var all []*begun
	for _, list := range u.of {
		all = append(all, list...)
	}
	slices.SortFunc(all, (*begun).compare)
	taken := map[*begun]bool{}
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].Received.Sub(all[from].Received) <= atOnce {
			to++
		}
		if list := all[from:to]; len(list) < least || len(clients(list)) < manyClients {
			from++
			continue
		}
		together = append(together, all[from:to])
		for _, b := range all[from:to] {
			taken[b] = true
		}
		from = to
	}
	for subject, list := range u.of {
		if list = slices.DeleteFunc(list, func(b *begun) bool { return taken[b] }); len(list) > 0 {
			u.of[subject] = list
		} else {
			delete(u.of, subject)
		}
	}
	return together
}

func clients(list []*begun) map[analysis.Client]bool {
	clients := map[analysis.Client]bool{}
	for _, b := range list {
		clients[analysis.Client{User: b.User, UserAgent: b.UserAgent, SourceIP: b.SourceIP}] = true
	}
	return clients
}

// reportInstant tells of requests that were received at one time and never ended.
func (u *unended) reportInstant(p *analysis.Pass, r *Register, list []*begun, timeout time.Duration) {
	first, last := list[0], list[len(list)-1]
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Likely, Count: len(list),
		First: first.At, Last: last.At, Subject: analysis.Subject{Resource: analysis.AnyResource},
		Details: analysis.Details{
			"timeouts": 0, "etcdTimeouts": 0, "overruns": 0, "unfinished": len(list), "unfinishedInAll": u.inAll, "ownTimeouts": 0,
			"clientAborts": 0, "maxSeconds": 0.0, "timeoutSeconds": timeout.Seconds(), "clients": len(clients(list)),
		},
		Caveats: []string{caveatKilled},
	}
	switch {
	case r.tornAfter(last.Log, last.Received, timeout):
		f.Confidence, f.Caveats = analysis.Possible, append(f.Caveats, caveatTorn)
	case p.Facts.Paused(last.Log, last.Received):
		f.Confidence, f.Caveats = analysis.Possible, append(f.Caveats, caveatPaused)
	}
	var refs []analysis.Evidence
	for _, b := range list {
		f.First, f.Last = min(f.First, b.At), max(f.Last, b.At)
		if len(refs) < analysis.MaxEvidence {
			refs = append(refs, analysis.Cite(b.ref())...)
		}
		f.Marks = append(f.Marks, analysis.Mark{Kind: "unfinished", From: b.Received, To: b.Received.Add(timeout), N: 1})
	}
	f.Evidence, f.Marks = refs, analysis.Coarsen(f.Marks)
	if u.share < 1 {
		f.Caveats = append(f.Caveats, fmt.Sprintf(caveatOneIn, 1/u.share, u.inAll))
	}
	f.Title = fmt.Sprintf("%d requests of %d clients that were received within %s at %s never ended: their API server was killed, or hung",
		len(list), len(clients(list)), max(last.Received.Sub(first.Received), time.Second).Round(time.Second), first.Received.Std().Format(time.TimeOnly))
	p.Report(f)
}

// tornAfter reports whether a log has ends of requests that were received soon
// after t, and not their beginnings. A killed API server leaves none of those.
func (r *Register) tornAfter(log string, t audit.Time, within time.Duration) bool {
	balance := r.balances[log]
	if balance == nil {
		return false
	}
	for step, n := range balance.Cells.All() {
		if step.To > t && step.From <= t.Add(within) && n.Closed > n.Received {
			return true
		}
	}
	return false
}
