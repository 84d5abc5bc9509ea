package driver

import (
	"sync"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// A peek makes the findings so far, now and then.
type peek struct {
	every time.Duration
	tell  func([]analysis.Finding) // nil for no peeks

	looking sync.Mutex // held by the worker that looks, or decides whether to
	next    time.Time  // when to look
}

// readingPerPeek is how many times as long as a peek took reading goes on before the
// next one, so that peeks do not take most of the time.
const readingPerPeek = 20

// look makes the findings so far, if it is time to and no other worker does. Other
// workers wait for the shard meanwhile.
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
