// Package cluster writes the audit log of an invented cluster: busy, healthy,
// the same for the same seed, and of any length, since it is simulated event by
// event. Benchmarks and tests of memory read it; no user does.
//
// Clients wake up, make requests, and each request writes its stages when their
// time comes; so lines stand in order of time, watches overlap, and
// resourceVersions only rise. Nothing in it should be flagged.
package cluster

import (
	"container/heap"
	"io"
	"math/rand/v2"
	"time"
)

// Options say which cluster it is.
type Options struct {
	Seed   uint64
	Bodies bool // level RequestResponse instead of Metadata
	Nodes  int  // 0 is 250
}

// A Cluster is a cluster whose API server writes an audit log. It is for one
// goroutine.
type Cluster struct {
	Options
	rand    *rand.Rand
	now     int64 // microseconds
	rv      uint64
	agenda  agenda
	seq     uint64
	kubelet []*client
	proxies []*client
	apps    []app
	line    []byte
}

// start is when the log begins: a fixed day, so that equal seeds write equal
// bytes.
var start = time.Date(2026, time.November, 29, 8, 0, 0, 0, time.UTC).UnixMicro()

const (
	millis = 1000
	second = 1000 * millis
)

// New returns a cluster in the middle of its day.
func New(o Options) *Cluster {
	if o.Nodes == 0 {
		o.Nodes = 250
	}
	c := &Cluster{Options: o, rand: rand.New(rand.NewPCG(o.Seed, 1)), now: start, rv: 48_000_000}
	c.populate()
	return c
}

// Next returns the next line of the log, with its newline. It is valid until
// the next call.
func (c *Cluster) Next() []byte {
	for {
		m := heap.Pop(&c.agenda).(moment)
		c.now = m.at
		if m.do != nil {
			m.do()
			continue
		}
		c.line = c.appendEvent(c.line[:0], m.request, m.stage)
		if m.stage == complete && m.request.then != nil {
			m.request.then()
		}
		return c.line
	}
}

// Write writes whole lines to w until size bytes are written.
func (c *Cluster) Write(w io.Writer, size int64) error {
	for size > 0 {
		n, err := w.Write(c.Next())
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// after has do called in d microseconds.
func (c *Cluster) after(d int64, do func()) {
	c.seq++
	heap.Push(&c.agenda, moment{at: c.now + d, seq: c.seq, do: do})
}

// every has do called every d microseconds, beginning somewhere in the first
// such span, with some jitter.
func (c *Cluster) every(d int64, do func()) {
	var again func()
	again = func() {
		do()
		c.after(d-d/50+c.rand.Int64N(d/25+1), again)
	}
	c.after(c.rand.Int64N(d), again)
}

// A moment is something to be done at a time: a line to be written, or a
// client that wakes up.
type moment struct {
	at      int64
	seq     uint64
	do      func()
	request *request
	stage   stage
}

// An agenda is a heap of moments, the earliest first.
type agenda []moment

func (a agenda) Len() int { return len(a) }

func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}

func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

func (a *agenda) Push(m any) { *a = append(*a, m.(moment)) }

func (a *agenda) Pop() any {
	last := len(*a) - 1
	m := (*a)[last]
	(*a)[last] = moment{}
	*a = (*a)[:last]
	return m
}
