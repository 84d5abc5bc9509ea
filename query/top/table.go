package top

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Table is what a counter has counted: the biggest keys, and the remainder.
type Table struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Keys       []string   `json:"keys"`
	By         Measure    `json:"by"`
	From       audit.Time `json:"from"` // the span of the log that was looked at; null if there is none
	To         audit.Time `json:"to"`

	StepSeconds int64      `json:"stepSeconds"` // of times
	TimesFrom   audit.Time `json:"timesFrom"`   // the first step's begin
	Total       Row        `json:"total"`
	Rows        []Row      `json:"rows"`
	Distinct    int64      `json:"distinct"` // keys, shown or not; an estimate if there are notes
	Rest        *Row       `json:"rest"`     // the keys not shown; null if all are
	Notes       []string   `json:"notes"`

	clocks []clock // of the keys
}

// A Row is what is known of one key.
type Row struct {
	Key         []string   `json:"key"`
	Requests    int64      `json:"requests"`
	Share       float64    `json:"share"` // of all requests
	Rate        float64    `json:"ratePerSecond"`
	Errors      int64      `json:"errors"`
	Latency     Latency    `json:"latency"`
	LongRunning Latency    `json:"longRunning"` // how long long-running requests lived
	Bytes       int64      `json:"bytes"`       // in the log, all stages
	Times       []uint32   `json:"times"`       // events by step of time
	count       *count     `json:"-"`
	order       [2]float64 // by the measure, then by requests
}

// A Latency is what is known of how long requests took.
type Latency struct {
	Requests int64   `json:"requests"`
	P50      float64 `json:"p50Seconds"`
	P95      float64 `json:"p95Seconds"`
	P99      float64 `json:"p99Seconds"`
	Max      float64 `json:"maxSeconds"`
}

func newLatency(h *tally.Histogram) Latency {
	at := func(q float64) float64 { return h.Quantile(q).Seconds() }
	return Latency{h.N, at(0.5), at(0.95), at(0.99), h.Max().Seconds()}
}

// Table returns the biggest keys, at most this many, and the remainder. It
// uses the counter up. from and to are the span of the log that was looked at.
func (c *Counter) Table(most int, from, to audit.Time) *Table {
	c.book.trim()
	endsOnly := slices.ContainsFunc(c.keys, func(k Key) bool { return k.late }) && c.total.ended() > 0
	t := &Table{
		APIVersion: "kaudit/v1", Kind: "Top", By: c.by, From: from, To: to, Notes: []string{}, Rows: []Row{},
		Distinct: c.book.distinct(),
	}
	for _, k := range c.keys {
		t.Keys, t.clocks = append(t.Keys, k.Name), append(t.clocks, k.clock)
	}
	var rows []Row
	rest := Row{count: &c.book.rest, Requests: c.book.rest.requests(endsOnly)}
	sum := rest.Requests
	for key, l := range c.book.rows {
		row := Row{Key: separate(key), count: &l.count, Requests: l.requests(endsOnly)}
		row.order = c.by.order(&row)
		sum += row.Requests
		rows = append(rows, row)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Requests == 0 && r.order[0] == 0 })
	slices.SortFunc(rows, compareRows)
	others := int64(0)
	if c.book.full() {
		others = max(1, c.book.distinct()-int64(len(rows)))
	}
	if len(rows) > most {
		others += int64(len(rows) - most)
		for i := range rows[most:] {
			rest.count.merge(rows[most+i].count)
			rest.Requests += rows[most+i].Requests
		}
		rows = rows[:most]
	}
	if t.clocks[0].lasts > 0 {
		slices.SortFunc(rows, func(a, b Row) int { return slices.Compare(a.Key, b.Key) })
	}
	t.Total = Row{count: &c.total, Requests: sum, Key: []string{}}
	t.Rows = append(t.Rows, rows...)
	if others > 0 {
		rest.Key = []string{}
		t.Rest = &rest
	}
	if c.book.full() {
		t.Notes = append(t.Notes, c.overflowNote())
	}
	t.fill(sum)
	return t
}

// order returns what rows are put in order by.
func (m Measure) order(r *Row) [2]float64 {
	n := float64(r.Requests)
	switch m {
	case ByErrors:
		return [2]float64{float64(r.count.errors), n}
	case ByLatency:
		return [2]float64{r.count.short.Quantile(0.95).Seconds(), n}
	case ByBytes:
		return [2]float64{float64(r.count.bytes), n}
	}
	return [2]float64{n, float64(r.count.bytes)}
}

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(b.order[0], a.order[0]), cmp.Compare(b.order[1], a.order[1]), slices.Compare(a.Key, b.Key))
}

// overflowNote says what may be wrong with a table of too many keys.
func (c *Counter) overflowNote() string {
	what := map[Measure]string{ByCount: "events", ByErrors: "errors", ByBytes: "bytes", ByLatency: "microseconds of latency"}[c.by]
	return fmt.Sprintf("there are about %d different keys, of which %d are kept: one that is not kept may have up to %d %s",
		c.book.distinct(), len(c.book.rows), c.unseen(), what)
}

// fill works out what rows show.
func (t *Table) fill(sum int64) {
	grid := &t.Total.count.times
	t.StepSeconds = 1 << grid.shift
	t.TimesFrom = audit.Time(grid.first << grid.shift * 1e6)
	whole := span{t.From, t.To}
	rows := []*Row{&t.Total}
	for i := range t.Rows {
		rows = append(rows, &t.Rows[i])
	}
	if t.Rest != nil {
		rows = append(rows, t.Rest)
	}
	for _, r := range rows {
		if sum > 0 {
			r.Share = float64(r.Requests) / float64(sum)
		}
		r.Rate = float64(r.Requests) / max(t.lasted(r, whole), time.Second).Seconds()
		r.Errors, r.Bytes = r.count.errors, r.count.bytes
		r.Latency, r.LongRunning = newLatency(&r.count.short), newLatency(&r.count.long)
		r.Times = r.count.times.on(grid)
	}
}
