package throttling

import (
	"cmp"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxMinutes is how many minutes are counted apart; in a longer log a step is
// several minutes. A State takes 12 KiB at most.
const maxMinutes = 128

// A State holds the requests of one client for one resource that were refused or
// queued.
type State struct {
	Minutes tally.Cells[Minute] `json:"minutes"` // by when requests were received
	Span    tally.Span          `json:"span"`    // of the refused requests
	Queued  tally.Span          `json:"queued"`  // of the queued requests
	Waits   tally.Histogram     `json:"waits"`   // of the queued requests
	IPs     tally.Set           `json:"ips"`     // addresses of the client
	Refused tally.Refs          `json:"refused"` // lines of refused requests
	Waited  tally.Sample[Wait]  `json:"waited"`  // the longest waits
	Unready tally.Cover         `json:"unready"` // when requests were refused for want of a watch cache
	Users   tally.Set           `json:"users"`   // who sent these
}

// A Minute counts the requests of a minute, or of a longer step.
type Minute struct {
	Refused int64 `json:"refused,omitempty"` // answered 429
	Late    int64 `json:"late,omitempty"`    // of these, after a wait in a queue: see atOnce
	Queued  int64 `json:"queued,omitempty"`  // whose annotation tells of a wait in a queue
}

// Plus returns the sum.
func (m Minute) Plus(o Minute) Minute {
	return Minute{m.Refused + o.Refused, m.Late + o.Late, m.Queued + o.Queued}
}

// A Wait is a request that waited in a queue.
type Wait struct {
	Took time.Duration `json:"took"`
	Ref  audit.Ref     `json:"ref"`
}

// Compare orders waits, the longest first.
func (w Wait) Compare(o Wait) int {
	return cmp.Or(cmp.Compare(o.Took, w.Took), w.Ref.Compare(o.Ref))
}

func newState() *State {
	return &State{
		Minutes: tally.Cells[Minute]{StepMicros: time.Minute.Microseconds(), Cap: maxMinutes},
		Waited:  tally.Sample[Wait]{K: 3},
	}
}

// atOnce is the latency below which a request was refused without having waited
// in a queue: the queue was full, too.
const atOnce = 500 * time.Millisecond

// Observe takes in a request.
func (s *State) Observe(e *audit.Event) {
	m := s.Minutes.At(e.Began())
	s.IPs.Add(e.ClientIP().String())
	if e.Code == 429 {
		m.Refused++
		if took, ok := e.Latency(); ok && took >= atOnce {
			m.Late++
		}
		s.Span.Add(e.Began())
		s.Span.Add(e.At)
		s.Refused.Add(e)
	}
	if unready(e) {
		s.Unready.Add(e.Began())
		s.Users.Add(e.Actor().String())
	}
	wait, err := time.ParseDuration(string(e.Annotation(queueWait)))
	if err != nil || wait < 0 {
		return
	}
	m.Queued++
	s.Queued.Add(e.Began())
	s.Queued.Add(e.At)
	s.Waits.Add(wait)
	s.Waited.Offer(
		func(kept *Wait) int {
			if kept.Took != wait {
				return cmp.Compare(kept.Took, wait)
			}
			return e.CompareRef(&kept.Ref)
		},
		func() Wait { return Wait{wait, e.Ref()} },
	)
}

// Merge takes in another state of the same client and resource.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Minutes.Merge(&o.Minutes)
	s.Span.Merge(o.Span)
	s.Queued.Merge(o.Queued)
	s.Waits.Merge(&o.Waits)
	s.IPs.Merge(&o.IPs)
	s.Refused.Merge(&o.Refused)
	s.Waited.Merge(&o.Waited)
	s.Unready.Merge(&o.Unready)
	s.Users.Merge(&o.Users)
}
