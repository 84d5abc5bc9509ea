package driver

import (
	"sync"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// A peek looks now and then at what would be found if the logs ended there.
type peek struct {
	every time.Duration
	tell  func([]analysis.Finding)

	looking sync.Mutex // held by the worker that looks, or asks whether to
	next    time.Time
}

// readingPerPeek is how many times as long as a look the reading goes on before
// the next: what is shown meanwhile must not be what takes the time.
const readingPerPeek = 20

// look makes the findings so far if it is time to, and no other worker does.
// The other workers wait for it.
func (p *peek) look(shard *analysis.Shard, settings analysis.Settings, stop func() bool) {
	if p.tell == nil || !p.looking.TryLock() {
		return
	}
	defer p.looking.Unlock()
	begun := time.Now()
	if p.next.IsZero() {
		p.next = begun.Add(p.every)
	}
	if begun.Before(p.next) {
		return
	}
	findings, whole := shard.FindingsSoFar(settings, stop)
	if !whole {
		return
	}
	p.tell(findings)
	p.next = time.Now().Add(max(p.every, readingPerPeek*time.Since(begun)))
}
