package stuckwatch

import (
	"bytes"
	"cmp"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// atOnce is the longest that a watch may have lived to count as ended at once:
// client-go's reflector calls a watch shorter than a second "very short".
const atOnce = time.Second

// A Cell holds the watches that were received within one step of time: those
// with the lowest resourceVersion, and those with the highest if it differs.
// What lies between is dropped. A stuck client asks for the lowest version of
// all until it recovers, so none of its watches are lost when steps grow.
type Cell struct {
	Low  Run  `json:"low"`
	High *Run `json:"high,omitempty"`
}

func (c *Cell) observe(rv uint64, e *audit.Event) {
	switch {
	case c.Low.empty(), rv == c.Low.RV:
		c.Low.RV = rv
		c.Low.observe(e)
	case c.High != nil && rv == c.High.RV:
		c.High.observe(e)
	case rv < c.Low.RV:
		if c.High == nil {
			high := c.Low
			c.High = &high
		}
		c.Low = Run{RV: rv}
		c.Low.observe(e)
	case c.High == nil:
		c.High = &Run{RV: rv}
		c.High.observe(e)
	case rv > c.High.RV:
		*c.High = Run{RV: rv}
		c.High.observe(e)
	}
}

// Plus returns the union of two cells, reduced to its lowest and highest version.
func (c Cell) Plus(o Cell) Cell {
	for _, run := range []*Run{&o.Low, o.High} {
		if run != nil && !run.empty() {
			c.add(run)
		}
	}
	return c
}

// add merges a run into the cell, and drops it if its version is neither the
// lowest nor the highest.
func (c *Cell) add(run *Run) {
	switch {
	case c.Low.empty():
		c.Low = *run
	case run.RV == c.Low.RV:
		c.Low = c.Low.Plus(*run)
	case run.RV < c.Low.RV:
		if c.High == nil {
			high := c.Low
			c.High = &high
		}
		c.Low = *run
	case c.High == nil:
		high := *run
		c.High = &high
	case run.RV > c.High.RV:
		*c.High = *run
	case run.RV == c.High.RV:
		*c.High = c.High.Plus(*run)
	}
}

// A Run sums up the watches from one resourceVersion within one step of time.
type Run struct {
	RV uint64 `json:"rv"`

	// Number of events by stage. A policy may omit stages, and a log may begin or
	// end while a watch is open, so the largest of the three is the number of
	// watches: see rounds.
	Received int32 `json:"received,omitempty"`
	Started  int32 `json:"started,omitempty"`
	Ended    int32 `json:"ended,omitempty"`

	// How many of Started and Ended are events of refused watches: see refused.
	RefusedStarts int32 `json:"refusedStarts,omitempty"`
	RefusedEnds   int32 `json:"refusedEnds,omitempty"`

	Short int32 `json:"short,omitempty"` // watches that ended at once: see atOnce
	Gone  int32 `json:"gone,omitempty"`  // watches that were answered 410 Gone
	Open  int64 `json:"open,omitempty"`  // microseconds that the ended watches were open, summed up

	First Round      `json:"first"`          // the watch that was received first
	Last  *Round     `json:"last,omitempty"` // the one received last; nil if that is First, as it mostly is
	Line  tally.Line `json:"line"`           // where First stands in the log
}

// A Round is one watch.
type Round struct {
	From    audit.Time `json:"from"`
	To      audit.Time `json:"to"` // 0 (null in JSON) if its end is not in the log
	ID      uint32     `json:"id"` // hash of the audit ID, to tell apart watches received in the same microsecond
	Refused bool       `json:"refused,omitempty"`
}

func (r *Run) empty() bool { return r.Received+r.Started+r.Ended == 0 }

func (r *Run) observe(e *audit.Event) {
	one := Round{From: e.Received, ID: uint32(tally.HashBytes(e.AuditID))}
	one.Refused = refused(e)
	switch e.Stage {
	case audit.StageRequestReceived:
		r.Received++
	case audit.StageResponseStarted:
		r.Started++
		r.RefusedStarts += count(one.Refused)
	case audit.StageResponseComplete, audit.StagePanic:
		one.To = max(e.At, e.Received)
		r.Ended++
		r.RefusedEnds += count(one.Refused)
		if !one.Refused {
			r.ended(e)
		}
	default:
		return
	}
	switch c := one.compare(r.First); {
	case r.First.From == 0:
		r.First = one
		r.Line.Set(e)
	case c < 0:
		r.precede(one)
		r.Line.Set(e)
	case c == 0:
		r.First.join(one)
		r.Line.Offer(e)
	default:
		r.reach(one)
	}
}

// precede makes a watch the first one, which is later than it.
func (r *Run) precede(one Round) {
	first := r.First
	r.First = one
	r.reach(first)
}

func (r *Run) ended(e *audit.Event) {
	lived, known := e.Latency()
	r.Open += max(0, lived.Microseconds())
	r.Gone += count(e.Code == 410)
	asked, limited := e.TimeoutSeconds()
	r.Short += count(known && lived < atOnce && (!limited || asked > 2*atOnce))
}

// Plus returns the union of two runs of the same version.
func (r Run) Plus(o Run) Run {
	switch {
	case r.empty():
		return o
	case o.empty():
		return r
	}
	r.Received += o.Received
	r.Started += o.Started
	r.Ended += o.Ended
	r.RefusedStarts += o.RefusedStarts
	r.RefusedEnds += o.RefusedEnds
	r.Short += o.Short
	r.Gone += o.Gone
	r.Open += o.Open
	if r.Last != nil {
		last := *r.Last // r is a copy, and shares it
		r.Last = &last
	}
	switch c := o.First.compare(r.First); {
	case c < 0:
		r.precede(o.First)
		r.Line = o.Line
	case c == 0:
		r.First.join(o.First)
		r.Line = r.Line.Better(o.Line)
	default:
		r.reach(o.First)
	}
	if o.Last != nil {
		r.reach(*o.Last)
	}
	return r
}

// single reports whether the run is one watch, even if the log has its events
// several times.
func (r *Run) single() bool { return r.Last == nil }

// rounds returns how many watches were served, that is, not refused.
func (r *Run) rounds() int {
	if r.single() {
		return int(count(!r.First.Refused))
	}
	return int(max(0, max(r.Received, r.Started, r.Ended)-max(r.RefusedStarts, r.RefusedEnds)))
}

// open returns the sum of the times that the watches were open. A single watch
// counts once, even if the log has it twice.
func (r *Run) open() time.Duration {
	if r.single() {
		return max(0, r.First.To.Sub(r.First.From))
	}
	return time.Duration(r.Open) * time.Microsecond
}

func (r Round) compare(o Round) int {
	return cmp.Or(cmp.Compare(r.From, o.From), cmp.Compare(r.ID, o.ID))
}

// join takes in another stage of the same watch.
func (r *Round) join(o Round) {
	r.To = max(r.To, o.To)
	r.Refused = r.Refused || o.Refused
}

// last returns the last watch.
func (r *Run) last() *Round {
	if r.Last != nil {
		return r.Last
	}
	return &r.First
}

// reach makes o, which is later than First, the last watch unless the run has a
// later one.
func (r *Run) reach(o Round) {
	if r.Last == nil {
		last := o
		r.Last = &last
		return
	}
	switch c := r.Last.compare(o); {
	case c < 0:
		*r.Last = o
	case c == 0:
		r.Last.join(o)
	}
}

// refused reports whether the event shows that the watch must not be counted as
// a round: it was turned away (403, 429, 5xx), or its end can't be trusted. The
// latter is "Connection closed early" right after the request was received: an
// API server with APIServingWithRoutine writes that of every watch
// (kubernetes 126466), and when the watch really ended is not in the log.
func refused(e *audit.Event) bool {
	switch {
	case e.Stage == audit.StageRequestReceived:
		return false
	case e.Code >= 400 && e.Code != 410:
		return true
	}
	return e.Stage == audit.StageResponseComplete && e.At.Sub(e.Received) < atOnce && bytes.Equal(e.Message, closedEarly)
}

var closedEarly = []byte("Connection closed early")

func count(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
