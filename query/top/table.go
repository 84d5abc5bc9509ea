package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Table is what a counter has counted: the biggest keys, and the rest. It is what
// "kaudit top -o json" prints; docs/top.schema.json describes it.
type Table struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Keys       []string   `json:"keys"`
	By         Measure    `json:"by"`
	From       audit.Time `json:"from"` // the span of the log that was looked at; null if there is none
	To         audit.Time `json:"to"`

	StepSeconds int64      `json:"stepSeconds"` // of Row.Times
	TimesFrom   audit.Time `json:"timesFrom"`   // when the first step begins
	Total       Row        `json:"total"`
	Rows        []Row      `json:"rows"`
	Distinct    int64      `json:"distinct"`  // how many keys there are, shown or not
	Estimated   bool       `json:"estimated"` // Distinct is an estimate: there are more keys than are kept
	Rest        *Row       `json:"rest"`      // the keys not shown; null if all are shown
	Notes       []string   `json:"notes"`

	clocks []clock // of the keys
}

// A Row holds the counts of one key.
type Row struct {
	Key         []string `json:"key"`
	Requests    int64    `json:"requests"`
	Share       float64  `json:"share"` // of all requests
	Rate        float64  `json:"ratePerSecond"`
	Errors      int64    `json:"errors"`
	Latency     Latency  `json:"latency"`
	LongRunning Latency  `json:"longRunning"` // how long long-running requests lived
	Bytes       int64    `json:"bytes"`       // in the log, all stages
	Times       []uint32 `json:"times"`       // events by step of time

	count  *count
	order  [2]float64    // what rows are sorted by: the measure, then requests
	lasted time.Duration // what Rate is over
}

// A Latency says how long requests took.
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

// Table returns the biggest keys, at most this many, and the rest. from and to are
// the span of the log that was looked at. The counter can't be used afterwards.
func (c *Counter) Table(most int, from, to audit.Time) *Table {
	c.book.trim()
	endsOnly := slices.ContainsFunc(c.keys, func(k Key) bool { return k.late }) && c.total.ended() > 0
	t := &Table{
		APIVersion: "kaudit/v1", Kind: "Top", By: c.by, From: from, To: to, Notes: []string{}, Rows: []Row{},
	}
	for _, k := range c.keys {
		t.Keys, t.clocks = append(t.Keys, k.Name), append(t.clocks, k.clock)
	}
	t.Estimated = c.estimates()
	rows, open := c.rows(endsOnly)
	t.Distinct = c.distinct() * int64(len(rows)) / max(1, int64(len(c.book.rows)))
	rest := Row{Key: []string{}, count: &c.book.rest, Requests: c.book.rest.requests(endsOnly)}
	where := "as -"
	if endsOnly && t.Estimated {
		open, where = max(0, c.total.begun()-c.total.ended()), "among the others"
		rest.Requests += open
	}
	if open > 0 {
		t.Notes = append(t.Notes, c.openNote(open, where))
	}
	t.Total = Row{Key: []string{}, count: &c.total, Requests: rest.Requests}
	for i := range rows {
		t.Total.Requests += rows[i].Requests
	}
	shown, hidden := rows[:min(most, len(rows))], rows[min(most, len(rows)):]
	for i := range hidden {
		rest.count.merge(hidden[i].count)
		rest.Requests += hidden[i].Requests
	}
	t.Notes = append(t.Notes, c.doubts(shown, len(shown) < most)...)
	if c.estimates() {
		t.Distinct = max(t.Distinct, int64(len(shown))+1)
	}
	if t.Distinct > int64(len(shown)) {
		t.Rest = &rest
	}
	if t.clocks[0].lasts > 0 {
		slices.SortFunc(shown, func(a, b Row) int { return slices.Compare(a.Key, b.Key) })
	}
	t.Rows = append(t.Rows, shown...)
	t.setLasted(span{from, to}, hidden)
	t.fill()
	return t
}

// doubts says what may be wrong with the numbers of a table: keys that were dropped, and
// requests that were logged twice. See note for shown and all.
func (c *Counter) doubts(shown []Row, all bool) (notes []string) {
	if c.estimates() {
		notes = append(notes, c.note(shown, all))
	}
	if twice, of := c.twins.Twice(); twice > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d sampled requests are logged twice under one audit ID, as by an API server and the aggregated one that answers: each counts as two, which the key source-ip tells apart", twice, of))
	}
	return notes
}

// setLasted sets how much time each row is about, of the whole that was looked at.
// hidden are the rows that Rest sums up.
func (t *Table) setLasted(whole span, hidden []Row) {
	t.Total.lasted = whole.length()
	for i := range t.Rows {
		t.Rows[i].lasted = whole.of(t.clocks, t.Rows[i].Key).length()
	}
	switch {
	case t.Rest == nil:
	case t.Estimated:
		t.Rest.lasted = whole.length()
	default:
		t.Rest.lasted = whole.together(t.clocks, hidden)
	}
}

// rows returns the keys that are kept, the biggest first, except those under which
// no request counts, and how many requests are counted that have no end.
func (c *Counter) rows(endsOnly bool) (rows []Row, open int64) {
	unended := map[string]int64{}
	if endsOnly {
		unended = c.open()
	}
	for key, n := range unended {
		open += n
		if c.book.rows[key] == nil {
			c.book.rows[key] = &line{}
		}
	}
	rows = make([]Row, 0, len(c.book.rows))
	for key, l := range c.book.rows {
		row := Row{Key: separate(key), count: &l.count, Requests: l.requests(endsOnly) + unended[key]}
		row.order = c.by.order(&row)
		if row.Requests > 0 || row.order[0] > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows, open
}

// open returns how many requests have begun and not ended, by their key without the
// values that only an end tells. If keys were dropped it returns none: beginnings
// and ends can't be compared by key then.
func (c *Counter) open() map[string]int64 {
	all := map[string]int64{}
	if c.estimates() {
		return all
	}
	begun := map[string]*count{}
	var early []byte
	for key, l := range c.book.rows {
		early = early[:0]
		for i, value := range separate(key) {
			if i > 0 {
				early = append(early, between)
			}
			if !c.keys[i].late {
				start := len(early)
				early = escaped(append(early, value...), start)
			}
		}
		sum := begun[string(early)]
		if sum == nil {
			sum = &count{}
			begun[string(early)] = sum
		}
		for stage, n := range l.stages {
			sum.stages[stage] += n
		}
		sum.refused += l.refused
	}
	for key, sum := range begun {
		if n := sum.begun() - sum.ended(); n > 0 {
			all[key] = n
		}
	}
	return all
}

// openNote says where requests without an end are counted.
func (c *Counter) openNote(open int64, where string) string {
	var late []string
	for _, k := range c.keys {
		if k.late {
			late = append(late, k.Name)
		}
	}
	have, keys := fmt.Sprintf("%d requests have", open), strings.Join(late, " and ")
	if open == 1 {
		have = "1 request has"
	}
	return have + " no end in the log, which alone tells " + keys + ": counted " + where
}

// order returns what a row is sorted by.
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

// note says what may be wrong with a table if keys were dropped. shown are the rows
// that it shows, and all says that these are all that are kept.
func (c *Counter) note(shown []Row, all bool) string {
	text := fmt.Sprintf("there are about %d different keys", c.distinct())
	if most := c.unseen(); all || float64(most) > c.by.units(shown[len(shown)-1].order[0]) {
		what := map[Measure]string{ByCount: "events", ByErrors: "errors", ByBytes: "bytes", ByLatency: "microseconds of latency"}[c.by]
		text += fmt.Sprintf(", of which %d are kept: one that is not kept may have up to %d %s", len(c.book.rows), most, what)
	}
	return text
}

// units converts a value that rows are sorted by into what cells count.
func (m Measure) units(value float64) float64 {
	if m == ByLatency {
		return value * 1e6
	}
	return value
}

// fill computes what rows show from their counts.
func (t *Table) fill() {
	grid := &t.Total.count.times
	t.StepSeconds = 1 << grid.shift
	t.TimesFrom = audit.Time(grid.first << grid.shift * 1e6)
	rows := []*Row{&t.Total}
	for i := range t.Rows {
		rows = append(rows, &t.Rows[i])
	}
	if t.Rest != nil {
		rows = append(rows, t.Rest)
	}
	for _, r := range rows {
		if t.Total.Requests > 0 {
			r.Share = float64(r.Requests) / float64(t.Total.Requests)
		}
		r.Rate = float64(r.Requests) / max(r.lasted, time.Second).Seconds()
		r.Errors, r.Bytes = r.count.errors, r.count.bytes
		r.Latency, r.LongRunning = newLatency(&r.count.short), newLatency(&r.count.long)
		r.Times = r.count.times.on(grid)
	}
}
