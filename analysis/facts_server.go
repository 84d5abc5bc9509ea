package analysis

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// ownSigns are what an API server did by itself in one step: it watches its own
// objects through its own front door, as system:apiserver.
type ownSigns struct {
	// Fresh counts watches that ask for initial events and lists, by stage,
	// at their receipt: a server that starts makes some tens of them at once.
	Fresh [audit.StagePanic + 1]int64 `json:"fresh"`
	// Ended counts watches that ended: a server that stops ends all of its own
	// within a second.
	Ended int64 `json:"ended,omitempty"`
	// Unready counts answers 500 of /readyz and /healthz.
	Unready int64 `json:"unready,omitempty"`
}

// Plus returns the sum.
func (s ownSigns) Plus(o ownSigns) ownSigns {
	for i := range s.Fresh {
		s.Fresh[i] += o.Fresh[i]
	}
	s.Ended += o.Ended
	s.Unready += o.Unready
	return s
}

var userAPIServer = audit.Intern("system:apiserver")

func (l *logFacts) observeServer(e *audit.Event) {
	if e.User != userAPIServer {
		return
	}
	switch {
	case e.Verb == audit.VerbList, e.Verb == audit.VerbWatch && e.InitialEvents():
		l.Server.At(e.Began()).Fresh[e.Stage]++
	}
	if e.Verb == audit.VerbWatch && e.Stage == audit.StageResponseComplete {
		l.Server.At(e.At).Ended++
	}
}

const (
	minFresh     = 10
	startWithin  = 10 * time.Second
	minStopEnded = 10
)

// Starts returns when the log's API server started, each time.
func (f *Facts) Starts(log string) []audit.Time {
	l := f.Logs[log]
	if l == nil {
		return nil
	}
	var starts []audit.Time
	var last audit.Time
	for step, s := range l.Server.All() {
		n := int64(0)
		for _, fresh := range s.Fresh {
			n = max(n, fresh)
		}
		if n >= minFresh && (last == 0 || step.From.Sub(last) > startWithin) {
			starts = append(starts, step.From)
			last = step.From
		}
	}
	return starts
}

// Stops returns when the log's API server was told to stop, each time it had
// the time to end its own watches.
func (f *Facts) Stops(log string) []audit.Time {
	l := f.Logs[log]
	if l == nil {
		return nil
	}
	var stops []audit.Time
	for step, s := range l.Server.All() {
		if s.Ended >= minStopEnded {
			stops = append(stops, step.From)
		}
	}
	return stops
}
