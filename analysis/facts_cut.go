package analysis

import (
	"math"
	"math/bits"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// cutWatches are the clients' watches that ended well before the time they
// asked for, in one step. One that ends so is everyday life; many of many
// clients at once lost their connections together.
type cutWatches struct {
	N       int64      `json:"n"`
	Clients uint64     `json:"clients"` // a bit for each, by user and address
	Span    tally.Span `json:"span"`
}

// Plus returns the sum.
func (c cutWatches) Plus(o cutWatches) cutWatches {
	c.N += o.N
	c.Clients |= o.Clients
	c.Span.Merge(o.Span)
	return c
}

const (
	cutCells   = 512
	minClients = 5  // bits; of so many clients or more
	manyCut    = 10 // clients, that are worth a note
	cutWithin  = 2 * time.Second
)

// wasCut reports whether e ends a watch a second or more before its time. One that
// is refused was never open.
func wasCut(e *audit.Event) bool {
	if e.Verb != audit.VerbWatch || e.Stage != audit.StageResponseComplete || e.Code >= 400 {
		return false
	}
	lived, ok := e.Latency()
	asked, limited := e.TimeoutSeconds()
	return ok && limited && lived < asked-time.Second
}

func (l *logFacts) observeCut(e *audit.Event) {
	if !wasCut(e) || e.User == userAPIServer {
		return
	}
	client := tally.Mix(tally.Hash(e.Actor().String()), tally.Hash(e.ClientIP().String()))
	cell := l.Cuts.At(e.At)
	cell.N++
	cell.Clients |= 1 << (client & 63)
	cell.Span.Add(e.At)
}

// A WatchCut is a time at which many clients lost their watches together.
type WatchCut struct {
	Span    tally.Span
	Watches int
	Clients int  // an estimate; 300 stands for all above
	Many    bool // clients: ten or more
}

// WatchCuts returns when watches of five clients or more ended together, within
// two seconds and long before their time: the API server, or what stands
// before it, closed their connections. A log in which watches end early all
// the time, by the thousand, is too full to tell.
func (f *Facts) WatchCuts(log string) []WatchCut {
	l := f.Logs[log]
	if l == nil || l.Cuts.Step() > cutWithin {
		return nil
	}
	return episodes(&l.Cuts, cutWithin,
		func(c *cutWatches) tally.Span { return c.Span },
		func(c *cutWatches) bool { return bits.OnesCount64(c.Clients) >= minClients },
		func(c *cutWatches) WatchCut {
			return WatchCut{c.Span, int(c.N), min(clients(c.Clients), int(c.N)), bits.OnesCount64(c.Clients) >= manyCut}
		})
}

// clients estimates how many set the bits of a word at random (linear
// counting).
func clients(word uint64) int {
	free := 64 - bits.OnesCount64(word)
	if free == 0 {
		return 300 // at which less than one bit is free on average
	}
	return int(math.Round(-64 * math.Log(float64(free)/64)))
}
