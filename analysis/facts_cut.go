package analysis

import (
	"math"
	"math/bits"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// cutWatches are the clients' watches that ended, in one step of time, well before the
// timeout that they asked for. One such watch means nothing; if many of many clients end so
// at once, they lost their connections together.
type cutWatches struct {
	N       int64      `json:"n"`
	Clients uint64     `json:"clients"` // a bit for each client, by a hash of user and address
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
	minClients = 5  // bits of Clients that make a WatchCut
	manyCut    = 10 // bits of Clients that are worth a note
	cutWithin  = 2 * time.Second
)

// wasCut reports whether e is the end of a watch more than a second before its timeout. A
// watch that was refused was never open, and one that ended at once is not known to have
// been: the API server may have had nothing to send it from, or have just started.
func wasCut(e *audit.Event) bool {
	if e.Verb != audit.VerbWatch || e.Stage != audit.StageResponseComplete || e.Code >= 400 {
		return false
	}
	lived, ok := e.Latency()
	asked, limited := e.TimeoutSeconds()
	return ok && limited && lived >= time.Second && lived < asked-time.Second
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

// A WatchCut is a moment at which many clients lost their watches together.
type WatchCut struct {
	Span    tally.Span
	Watches int
	Clients int  // an estimate, of 300 at most
	Many    bool // ten clients or more
}

// WatchCuts returns when watches of five clients or more ended within two seconds, before
// their timeouts: the API server, or a proxy before it, closed their connections. It
// returns none if watches end early all the time: then there are so many steps of time that
// they had to be made longer than two seconds.
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

// clients estimates how many clients set the bits of a word, each one at random (linear
// counting).
func clients(word uint64) int {
	free := 64 - bits.OnesCount64(word)
	if free == 0 {
		return 300 // at which less than one bit is free on average
	}
	return int(math.Round(-64 * math.Log(float64(free)/64)))
}
