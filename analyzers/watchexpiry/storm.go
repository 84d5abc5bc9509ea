package watchexpiry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// kindListedAgain is the kind of findings for group only: that one client listed one scope
// again after an episode.
const kindListedAgain = "listed-again"

// Details of such a finding.
const (
	detailEpisode = "episode" // the index of the episode after which the client listed again
	detailLost    = "lost"    // whether the log has the end of its watch in the episode's moment
)

// reportStormy reports, for group, the client's lists after each episode that it was part
// of, up to the next one. The client must have watched before.
func (s *State) reportStormy(p *analysis.Pass) {
	if s.Begun.Len() == 0 || s.Lists.Len() == 0 {
		return
	}
	next := audit.Time(math.MaxInt64)
	for i, ep := range slices.Backward(episodes(p.Facts)) {
		if s.Begun.List[0].Value.First >= ep.span.First {
			break
		}
		lost := s.cutWithin(ep.cut)
		if !ep.started && !ep.silent && (lost == nil || lost.EarlyAt.Empty()) {
			continue // its watches went on, or it begins them with the whole state, as it does each time
		}
		to := min(ep.span.Last.Add(p.Duration(optRelist)), next-1)
		next = ep.span.First
		for _, l := range s.Lists.All() {
			if !within(l.At, ep.span.First, to) {
				continue
			}
			lines := []audit.Ref{l.ref(&p.Key)}
			if lost != nil {
				lines = append(lines, lost.First.ref(&p.Key, audit.VerbWatch))
			}
			p.Report(analysis.Finding{
				Severity: analysis.Info, Confidence: analysis.Possible, Count: int(l.N), First: l.At.First, Last: l.At.Last,
				Title: "listed again", Details: analysis.Details{"kind": kindListedAgain, detailEpisode: i, detailLost: lost != nil}, Evidence: analysis.Cite(lines...),
			})
			break
		}
	}
}

// cutWithin returns the ends of watches that were cut off within a span, if any.
func (s *State) cutWithin(span tally.Span) *Ends {
	for _, e := range s.Ends.All() {
		if within(e.EarlyAt, span.First, span.Last) || within(e.WholeAt, span.First, span.Last) {
			return e
		}
	}
	return nil
}

// group makes one finding of the clients that listed again after one episode,
// if they are many, and drops what they reported one by one.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	var again, others []analysis.Finding
	for _, f := range findings {
		if f.Details.Text("kind") == kindListedAgain {
			again = append(again, f)
		} else {
			others = append(others, f)
		}
	}
	others = append(others, tooOld(p)...)
	if len(again) == 0 {
		return others
	}
	for i, ep := range episodes(p.Facts) {
		var of []analysis.Finding
		for _, f := range again {
			if f.Details[detailEpisode] == i {
				of = append(of, f)
			}
		}
		if f, ok := storm(p, ep, of); ok {
			others = append(others, f)
		}
	}
	return others
}

// storm makes one finding of the clients that listed again after an episode, if there are
// enough of them. If the log has the ends of watches, it is about the clients that lost
// theirs then. Others listed anew with them: they lost theirs before, as an API server that
// stops ends its own, or that is not in the log.
func storm(p *analysis.Pass, ep episode, lists []analysis.Finding) (analysis.Finding, bool) {
	lost := losers(lists)
	if len(lost) == 0 {
		ep.watches, ep.clients = 0, 0 // who lost them took them up where they were
	}
	var its, others relists
	for i := range lists {
		if client := clientOf(&lists[i]); ep.watches == 0 || lost[client] {
			its.add(client, lists[i])
		} else {
			others.add(client, lists[i])
		}
	}
	clients := len(its.clients) + len(others.clients)
	least, most := max(2, p.Int(optClients)), 2*clients >= concerned(p, ep, its.span)
	if clients < least && (2*clients < least || !most || ep.watches == 0) { // half as many are enough if they are most of those concerned
		return analysis.Finding{}, false
	}
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed,
		Subject: common(its.lists), Count: len(its.clients), First: ep.span.First, Last: max(its.span.Last, others.span.Last, ep.span.Last),
		Details: analysis.Details{
			"kind": "storm", "clients": len(its.clients), "others": len(others.clients), "lists": its.n + others.n, "watches": ep.watches,
			"restart": ep.started, "stopped": ep.stopped,
		},
	}
	f.Details["who"] = its.who()
	if ep.away.First < ep.away.Last {
		f.Details["awayFrom"], f.Details["awayTo"] = ep.away.First.String(), ep.away.Last.String()
	}
	what, since := ep.tell(&f, its.span)
	f.Title = fmt.Sprintf("%d clients %s and listed again within %s", len(its.clients), what, its.span.Last.Sub(since).Round(time.Second))
	if n := len(others.clients); n > 0 {
		f.Title += fmt.Sprintf("; %d more listed anew within %s", n, others.span.Last.Sub(since).Round(time.Second))
	}
	if most && clients >= least {
		f.Severity = analysis.Warning
	}
	f.Evidence = cite(its.lists)
	f.Marks = []analysis.Mark{{Kind: "storm", From: f.First, To: f.Last, N: its.n + others.n}}
	return f, true
}

// tell says how the storm f began, and since when its clients could list again. It adds to
// f what is not known of that. lists are when they listed.
func (ep *episode) tell(f *analysis.Finding, lists tally.Span) (what string, since audit.Time) {
	since = ep.span.First
	clock := func(t audit.Time) string { return t.Std().Format(time.TimeOnly) }
	if ep.watches > 0 {
		return "lost their watches at " + clock(since), since
	}
	f.Confidence = analysis.Likely
	if !ep.silent {
		f.Caveats = append(f.Caveats, caveatKilled)
		return "started over when the API server started at " + clock(since), since
	}
	f.Caveats = append(f.Caveats, caveatSilent)
	if ep.span.Last <= lists.Last { // else other servers had answered before
		since = ep.span.Last
	}
	return "started over after the log was silent up to " + clock(ep.span.Last), since
}

const (
	caveatKilled = "the log does not say when their watches ended, which usually means that the server was killed"
	caveatSilent = "the log does not say when their watches ended, nor that the API server started: it was killed, or lines of the log were lost and the network cut their connections"
)

// relists are lists of several clients after an episode.
type relists struct {
	clients map[analysis.Subject]bool
	lists   []analysis.Finding
	span    tally.Span
	n       int
}

func (r *relists) add(client analysis.Subject, list analysis.Finding) {
	if r.clients == nil {
		r.clients = map[analysis.Subject]bool{}
	}
	r.clients[client] = true
	r.lists = append(r.lists, list)
	r.span.Merge(tally.Span{First: list.First, Last: list.Last})
	r.n += list.Count
}

// maxWho is how many of those who made a storm are named.
const maxWho = 16

// who names the first of those whose clients they are.
func (r *relists) who() []string {
	var names []string
	for client := range r.clients {
		names = append(names, client.Who())
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxWho)]
}

// losers returns the clients that lost a watch in the episode's moment.
func losers(lists []analysis.Finding) map[analysis.Subject]bool {
	lost := map[analysis.Subject]bool{}
	for i := range lists {
		if lists[i].Details[detailLost] == true {
			lost[clientOf(&lists[i])] = true
		}
	}
	return lost
}

func clientOf(f *analysis.Finding) analysis.Subject {
	return analysis.Subject{User: f.Subject.User, UserAgent: f.Subject.UserAgent, SourceIP: f.Subject.SourceIP}
}

// concerned returns how many clients could have been part of a storm: those that lost their
// watches or, if that is not known, all that made requests meanwhile.
func concerned(p *analysis.Pass, ep episode, span tally.Span) int {
	if ep.clients > 0 {
		return ep.clients
	}
	active := 0
	p.Facts.Clients(func(c analysis.Client, _ tally.Span) {
		if p.Facts.Heard(c, ep.span.First, span.Last) {
			active++
		}
	})
	return active
}

// common returns the subject that all findings share; if they share nothing, its Resource
// stands for all resources.
func common(findings []analysis.Finding) analysis.Subject {
	all := findings[0].Subject
	for i := range findings {
		all = all.Common(findings[i].Subject)
	}
	if all == (analysis.Subject{}) {
		all.Resource = analysis.AnyResource
	}
	return all
}

// cite returns the first few lines of a storm: watches that ended first, then
// lists.
func cite(findings []analysis.Finding) []analysis.Evidence {
	var all []analysis.Evidence
	for i := range findings {
		all = append(all, findings[i].Evidence...)
	}
	slices.SortFunc(all, func(a, b analysis.Evidence) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Offset, b.Offset))
	})
	const some = 3
	if len(all) <= 2*some {
		return all
	}
	return append(all[:some:some], all[len(all)-some:]...)
}
