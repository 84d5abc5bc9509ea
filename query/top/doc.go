// Package top counts requests by keys: who sends most, what fails most, what
// is slow, what fills the log. It is what "kaudit top" prints.
//
//	events -> a Counter for each worker -> Merge -> Table
//
// A Counter lives by the law of states: however a log is cut and in whatever order
// it is counted, the table is the same. So it can't drop keys by when they came,
// and the keys with the smallest hashes, which it keeps, need not be the biggest.
// Therefore it also spreads all keys over many cells and sums up each cell. If
// there were more keys than it keeps, a second reading counts only the keys of the
// biggest cells, and no big key can be in another. See [Counter.Again].
package top

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Measure is what rows are ordered by.
type Measure string

// The measures. Latency is the 95th percentile of requests that are not
// long-running.
const (
	ByCount   Measure = "count"
	ByErrors  Measure = "errors"
	ByLatency Measure = "latency"
	ByBytes   Measure = "bytes"
)

// A Counter counts the requests of a log by key. It is for one goroutine.
type Counter struct {
	keys  []Key
	by    Measure
	total count
	book  book
	cells []int64 // by hash of the key, the measure of all keys in the cell
	heavy []bool  // in a second reading, the cells whose keys are kept; else nil
	found int64   // in a second reading, the first one's estimate of how many keys there are
	twins tally.Twins
	buf   []byte
}

// NewCounter returns an empty counter.
func NewCounter(keys []Key, by Measure) *Counter {
	return &Counter{keys: keys, by: by, book: newBook(), cells: make([]int64, cellCount)}
}

// Observe counts an event.
func (c *Counter) Observe(e *audit.Event) {
	if e.Final() {
		c.twins.Observe(e)
	}
	c.buf = c.buf[:0]
	for i := range c.keys {
		if i > 0 {
			c.buf = append(c.buf, between)
		}
		start := len(c.buf)
		c.buf = escaped(c.keys[i].value(c.buf, e), start)
	}
	hash := tally.HashBytes(c.buf)
	cell := hash % cellCount
	c.weigh(cell, e)
	c.total.add(e)
	if c.heavy != nil && !c.heavy[cell] {
		c.book.rest.add(e)
		return
	}
	c.book.row(c.buf, hash).add(e)
}

// Merge takes in what o has counted.
func (c *Counter) Merge(o *Counter) {
	c.total.merge(&o.total)
	c.twins.Merge(&o.twins)
	c.book.merge(&o.book)
	for i, n := range o.cells {
		if c.by == ByLatency {
			c.cells[i] = max(c.cells[i], n)
		} else {
			c.cells[i] += n
		}
	}
}

// A count is what is known of one key, or of all.
type count struct {
	stages  [5]int64 // events, by stage
	refused int64    // requests that failed authentication, of which there is no other stage
	errors  int64
	bytes   int64           // of all events, with their newlines
	short   tally.Histogram // latencies of requests that are not long-running
	long    tally.Histogram // how long long-running requests lived
	times   series
}

func (c *count) add(e *audit.Event) {
	c.stages[e.Stage]++
	c.bytes += int64(len(e.Raw)) + 1
	c.times.add(e.At)
	if failed(e) {
		c.errors++
	}
	if refused(e) {
		c.refused++
	}
	if took, ok := e.Latency(); ok {
		if e.LongRunning() {
			c.long.Add(took)
		} else {
			c.short.Add(took)
		}
	}
}

// refused reports whether the request failed authentication: the API server
// then writes ResponseStarted alone.
func refused(e *audit.Event) bool {
	return e.Stage == audit.StageResponseStarted && e.Code == 401 && e.User == (audit.Sym{})
}

// failed reports whether a request ended with an error.
func failed(e *audit.Event) bool { return query.Failed(e) && (e.Final() || refused(e)) }

func (c *count) merge(o *count) {
	for i, n := range o.stages {
		c.stages[i] += n
	}
	c.refused += o.refused
	c.errors += o.errors
	c.bytes += o.bytes
	c.short.Merge(&o.short)
	c.long.Merge(&o.long)
	c.times.merge(&o.times)
}

// ended returns how many requests are known to have ended.
func (c *count) ended() int64 {
	return c.stages[audit.StageResponseComplete] + c.stages[audit.StagePanic] + c.refused
}

// begun returns how many requests are known to have begun.
func (c *count) begun() int64 {
	return max(c.stages[audit.StageRequestReceived], c.stages[audit.StageResponseStarted], c.stages[audit.StageUnknown])
}

// requests returns how many requests there were, each counted once whatever stages
// the log holds: those that ended or, if there are more of them, those that began,
// since some may still be running. If a key is known only at the end of a request
// (endsOnly), its beginning stands under another key: then only ends count, and
// Counter.open adds the others.
func (c *count) requests(endsOnly bool) int64 {
	if endsOnly {
		return c.ended()
	}
	return max(c.ended(), c.begun())
}

// cellCount is how many cells there are. They take 2 MB a worker.
const cellCount = 1 << 18

// weigh adds the measure of an event to its cell.
func (c *Counter) weigh(cell uint64, e *audit.Event) {
	switch c.by {
	case ByErrors:
		if failed(e) {
			c.cells[cell]++
		}
	case ByBytes:
		c.cells[cell] += int64(len(e.Raw)) + 1
	case ByLatency:
		if took, ok := e.Latency(); ok && !e.LongRunning() {
			c.cells[cell] = max(c.cells[cell], int64(took/time.Microsecond))
		}
	default:
		c.cells[cell]++
	}
}
