package analysis

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// requestFacts count the selected requests, each once: at its end, or at the
// ResponseStarted that is the only event of a request which the API server refuses early
// (401, a bad timeout). A request without an end is not counted, so a log without
// ResponseComplete has no requests here.
type requestFacts struct {
	Overview overviewFacts `json:"overview"`
	Clients  clientFacts   `json:"clients"`
	Chosen   tally.Span    `json:"chosen"` // of all selected events
}

// counts reports whether the request is counted at this event.
func counts(e *audit.Event) bool {
	return e.Final() || e.Stage == audit.StageResponseStarted && !e.LongRunning()
}

func (r *requestFacts) observe(e *audit.Event, row *row) {
	r.Chosen.Add(e.At)
	if !counts(e) {
		return
	}
	failed := e.Code >= 400
	r.Overview.observe(e, failed)
	r.Clients.observe(e, failed, row)
}

func (r *requestFacts) merge(o *requestFacts) {
	r.Overview.merge(&o.Overview)
	r.Clients.merge(&o.Clients)
	r.Chosen.Merge(o.Chosen)
}

// Chosen returns when the first and the last selected events were written: a part of Span
// if --since, --until or --where left some out.
func (f *Facts) Chosen() tally.Span { return f.Requests.Chosen }

// A ClientCount is how many requests a client made.
type ClientCount struct {
	Client   Client
	Requests int64
	Errors   int64 // answered 4xx or 5xx
}

// topClients returns the n clients with the most requests. all is false if
// there were too many clients to count them all.
func (f *Facts) topClients(n int) (top []ClientCount, all bool) {
	clients := &f.Requests.Clients
	for _, c := range clients.Table.sorted() {
		t := clients.Table.get(c)
		top = append(top, ClientCount{c, t.Requests, t.Errors})
	}
	return most(top, n), clients.Table.exact()
}

// ClientsWithin returns the n clients with the most requests received in the minutes that
// [from, to] touches (longer steps, in a long log). It does not fill in Errors. all is
// false if there were too many clients to count them all.
func (f *Facts) ClientsWithin(from, to audit.Time, n int) (top []ClientCount, all bool) {
	clients := &f.Requests.Clients
	for _, c := range clients.Table.sorted() {
		minutes := clients.Table.get(c).Minutes
		if minutes == nil {
			continue
		}
		count := ClientCount{Client: c}
		for step, requests := range minutes.All() {
			if step.From <= to && from < step.To {
				count.Requests += int64(*requests)
			}
		}
		if count.Requests > 0 {
			top = append(top, count)
		}
	}
	return most(top, n), clients.Below == 0 && clients.Table.exact()
}

// ClientSpan returns when the first and the last answered request of a client were received:
// an empty span if it made none. known is false if there were too many clients to tell.
func (f *Facts) ClientSpan(c Client) (heard tally.Span, known bool) {
	if t := f.Requests.Clients.Table.get(c); t != nil {
		return t.Heard, true
	}
	return tally.Span{}, f.Requests.Clients.Table.knows(c)
}

// Heard reports whether a request of the client was received in the minutes that [from, to]
// touches (longer steps, in a long log). If there were too many clients to know each one's
// minutes, it is true for one that was heard both before and after. It is false if none is
// known.
func (f *Facts) Heard(c Client, from, to audit.Time) bool {
	t := f.Requests.Clients.Table.get(c)
	if t == nil {
		return false
	}
	if t.Minutes == nil {
		return t.Heard.First <= to && from <= t.Heard.Last
	}
	for step, requests := range t.Minutes.All() {
		if step.From <= to && from < step.To && *requests > 0 {
			return true
		}
	}
	return false
}

// RequestsWithin returns how many requests of a client were received in the minutes that
// [from, to] touches (longer steps, in a long log). If there were too many clients to know
// each one's minutes, it is an estimate: the client's requests, spread evenly over the time
// in which it was heard. known is false if there were too many to tell even that.
func (f *Facts) RequestsWithin(c Client, from, to audit.Time) (n int64, known bool) {
	t := f.Requests.Clients.Table.get(c)
	if t == nil {
		return 0, f.Requests.Clients.Table.knows(c)
	}
	if t.Minutes == nil {
		return t.spread(tally.Interval{From: from, To: to}), true
	}
	for step, requests := range t.Minutes.All() {
		if step.From <= to && from < step.To {
			n += int64(*requests)
		}
	}
	return n, true
}

// spread returns how many of the client's requests fall into part if they are spread evenly.
func (t *clientTotal) spread(part tally.Interval) int64 {
	part.From, part.To = max(part.From, t.Heard.First), min(part.To, t.Heard.Last)
	if part.From > part.To {
		return 0
	}
	const least = time.Minute // as exact as for others
	share := float64(max(least, part.Len())) / float64(max(least, t.Heard.Len()))
	return int64(math.Ceil(share * float64(t.Requests)))
}

// Clients calls do with each client, in no order, and when its first and its last answered
// request were received. all is false if there were too many clients to keep them all.
func (f *Facts) Clients(do func(c Client, heard tally.Span)) (all bool) {
	table := &f.Requests.Clients.Table
	table.shrink()
	for i := range table.rows {
		do(table.rows[i].key, table.rows[i].value.Heard)
	}
	return table.exact()
}

// most returns the n largest of counts that are in order of their clients.
func most(counts []ClientCount, n int) []ClientCount {
	slices.SortStableFunc(counts, func(a, b ClientCount) int { return cmp.Compare(b.Requests, a.Requests) })
	return counts[:min(n, len(counts))]
}
