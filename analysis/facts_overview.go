package analysis

import (
	"slices"
	"sort"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// An Overview is a summary of the log.
type Overview struct {
	From        audit.Time       `json:"from"`
	StepSeconds int64            `json:"stepSeconds"`
	Requests    []int64          `json:"requests"` // by step: how many ended
	Errors      []int64          `json:"errors"`   // by step: how many of these were answered 4xx or 5xx
	Latency     OverviewLatency  `json:"latency"`  // of requests that are not long-running
	Clients     []OverviewClient `json:"clients"`  // those with the most requests
}

// OverviewLatency counts requests by how long they took: Counts[i] took at
// most BoundsMicros[i], and more than the bound before; the last count is of
// those above all bounds.
type OverviewLatency struct {
	BoundsMicros []int64 `json:"boundsMicros"`
	Counts       []int64 `json:"counts"`
}

// An OverviewClient is a client with its requests.
type OverviewClient struct {
	User      string `json:"user"`
	UserAgent string `json:"userAgent"`
	SourceIP  string `json:"sourceIP"`
	Requests  int64  `json:"requests"`
	Errors    int64  `json:"errors"` // how many of Requests were answered 4xx or 5xx
}

const (
	overviewCells    = 240 // seconds, in a log of up to four minutes
	maxOverviewSteps = 480 // with pauses
	overviewClients  = 10
)

// latencyBounds are 1, 2, 5, 10, ... milliseconds to 500 s.
var latencyBounds = func() []int64 {
	var bounds []int64
	for unit := int64(1000); unit <= 100_000_000; unit *= 10 {
		bounds = append(bounds, unit, 2*unit, 5*unit)
	}
	return bounds
}()

type overviewFacts struct {
	Steps   tally.Cells[load] `json:"steps"`   // by stageTimestamp
	Latency [19]int64         `json:"latency"` // one more than latencyBounds
}

// load is how many requests ended in a step.
type load struct {
	Requests int64 `json:"requests"`
	Errors   int64 `json:"errors"`
}

// Plus returns the sum.
func (l load) Plus(o load) load { return load{l.Requests + o.Requests, l.Errors + o.Errors} }

func (o *overviewFacts) observe(e *audit.Event, failed bool) {
	o.Steps.Cap = overviewCells
	cell := o.Steps.At(e.At)
	cell.Requests++
	if failed {
		cell.Errors++
	}
	if d, ok := e.Latency(); ok && !e.LongRunning() {
		o.Latency[latencyBucket(d)]++
	}
}

func latencyBucket(d time.Duration) int {
	micros := d.Microseconds()
	return sort.Search(len(latencyBounds), func(i int) bool { return micros <= latencyBounds[i] })
}

func (o *overviewFacts) merge(p *overviewFacts) {
	o.Steps.Merge(&p.Steps)
	for i := range o.Latency {
		o.Latency[i] += p.Latency[i]
	}
}

// Overview returns a summary of the selected part of the log.
func (f *Facts) Overview() Overview {
	v := Overview{
		Requests: []int64{}, Errors: []int64{}, Clients: []OverviewClient{},
		Latency: OverviewLatency{latencyBounds, slices.Clone(f.Requests.Overview.Latency[:])},
	}
	v.setSteps(&f.Requests.Overview.Steps)
	top, _ := f.topClients(overviewClients)
	for _, c := range top {
		v.Clients = append(v.Clients, OverviewClient{
			cut(c.Client.User.String()), cut(c.Client.UserAgent.String()), cut(c.Client.SourceIP.String()), c.Requests, c.Errors,
		})
	}
	return v
}

// setSteps fills in the requests by step, those without any too. Where there
// are long pauses, steps are longer than the cells.
func (v *Overview) setSteps(cells *tally.Cells[load]) {
	v.StepSeconds = int64(cells.Step() / time.Second)
	n := cells.Len()
	if n == 0 {
		return
	}
	first, last := cells.List[0].Index, cells.List[n-1].Index
	factor := int64(1)
	for (last-first)/factor >= maxOverviewSteps {
		factor *= 2
	}
	v.From = audit.Time(first * cells.Step().Microseconds())
	v.StepSeconds *= factor
	v.Requests = make([]int64, (last-first)/factor+1)
	v.Errors = make([]int64, len(v.Requests))
	for _, c := range cells.List {
		i := (c.Index - first) / factor
		v.Requests[i] += c.Value.Requests
		v.Errors[i] += c.Value.Errors
	}
}
