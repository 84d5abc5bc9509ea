package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of clients: totals of up to maxClients, and over time of the
// maxSeries of them with the smallest hashes.
const (
	maxClients  = 16_384
	maxSeries   = 1024
	seriesCells = 128 // 3 KiB; a minute each for two hours
)

// requestFacts count requests, each once: at its end. A request of which the
// log has no end counts for nothing here.
type requestFacts struct {
	Overview overviewFacts                `json:"overview"`
	Clients  table[Client, clientTotal]   `json:"clients"`
	Series   table[Client, clientMinutes] `json:"series"`
}

type clientTotal struct {
	Requests int64 `json:"requests"`
	Errors   int64 `json:"errors"` // answered 4xx or 5xx
}

type clientMinutes struct {
	Minutes tally.Cells[tally.Count] `json:"minutes"`
}

func newRequestFacts() requestFacts {
	return requestFacts{
		Clients: newTable[Client, clientTotal](maxClients),
		Series:  newTable[Client, clientMinutes](maxSeries),
	}
}

// counts reports whether a request is counted at this event: its last one.
func counts(e *audit.Event) bool {
	return e.Final() || e.Stage == audit.StageResponseStarted && !e.LongRunning()
}

func (r *requestFacts) observe(e *audit.Event) {
	if !counts(e) {
		return
	}
	failed := e.Code >= 400
	r.Overview.observe(e, failed)
	client := ClientOf(e)
	if t := r.Clients.at(client); t != nil {
		t.Requests++
		if failed {
			t.Errors++
		}
	}
	if s := r.Series.at(client); s != nil {
		if s.Minutes.StepMicros == 0 {
			s.Minutes = tally.Cells[tally.Count]{StepMicros: time.Minute.Microseconds(), Cap: seriesCells}
		}
		*s.Minutes.At(e.Began())++
	}
}

func (r *requestFacts) merge(o *requestFacts) {
	r.Overview.merge(&o.Overview)
	r.Clients.merge(&o.Clients, func(mine, theirs *clientTotal) {
		mine.Requests += theirs.Requests
		mine.Errors += theirs.Errors
	})
	r.Series.merge(&o.Series, func(mine, theirs *clientMinutes) { mine.Minutes.Merge(&theirs.Minutes) })
}

// A ClientCount is how many requests a client made.
type ClientCount struct {
	Client   Client
	Requests int64
	Errors   int64
}

// TopClients returns the n clients with the most requests. all is false if
// there were too many clients to count them all.
func (f *Facts) TopClients(n int) (top []ClientCount, all bool) {
	for _, c := range f.Requests.Clients.sorted() {
		t := f.Requests.Clients.get(c)
		top = append(top, ClientCount{c, t.Requests, t.Errors})
	}
	return most(top, n), f.Requests.Clients.exact()
}

// ClientsWithin returns the n clients with the most requests received in the
// minutes that [from, to] touches (longer steps, in a long log), errors not
// counted. all is false if there were too many clients to follow them all.
func (f *Facts) ClientsWithin(from, to audit.Time, n int) (top []ClientCount, all bool) {
	for _, c := range f.Requests.Series.sorted() {
		count := ClientCount{Client: c}
		for step, requests := range f.Requests.Series.get(c).Minutes.All() {
			if step.From <= to && from < step.To {
				count.Requests += int64(*requests)
			}
		}
		if count.Requests > 0 {
			top = append(top, count)
		}
	}
	return most(top, n), f.Requests.Series.exact()
}

// most returns the n largest of counts that are in order of their clients.
func most(counts []ClientCount, n int) []ClientCount {
	slices.SortStableFunc(counts, func(a, b ClientCount) int { return cmp.Compare(b.Requests, a.Requests) })
	return counts[:min(n, len(counts))]
}
