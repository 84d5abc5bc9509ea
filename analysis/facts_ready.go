package analysis

import (
	"bytes"
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// unready counts the probes that an API server answered with 500, in one step of time. It
// does so if one of its checks fails: while it starts, after it was told to stop, and when
// it can't reach etcd.
type unready struct {
	N    int64      `json:"n"`
	Span tally.Span `json:"span"`
}

// Plus returns the sum.
func (u unready) Plus(o unready) unready {
	u.N += o.N
	u.Span.Merge(o.Span)
	return u
}

const (
	unreadyCells  = 256
	minUnready    = 2 // a single one may be a check that was slow
	unreadyWithin = 30 * time.Second
	// unreadyAside is how long after a log's first event probes may fail without a note:
	// the log may begin with its server's start. A kubelet waits ten seconds before its
	// first probe.
	unreadyAside = 15 * time.Second
)

// probed are the paths at which an API server is asked whether it is well.
var probed = [][]byte{[]byte("/readyz"), []byte("/livez"), []byte("/healthz")}

func (l *logFacts) observeProbe(e *audit.Event) {
	if e.Code != 500 || e.Stage != audit.StageResponseComplete {
		return
	}
	path, _, _ := bytes.Cut(e.URI, []byte("?"))
	for _, p := range probed {
		if bytes.Equal(path, p) {
			cell := l.Unready.At(e.At)
			cell.N++
			cell.Span.Add(e.At)
		}
	}
}

// unreadyNotes tell when an API server said that it was not ready, unless a start or a stop
// explains it, or the log begins then.
func (f *Facts) unreadyNotes(log string) []Note {
	l := f.Logs[log]
	known := append(f.Starts(log), f.Stops(log)...)
	var notes []Note
	for _, u := range episodes(&l.Unready, unreadyWithin,
		func(u *unready) tally.Span { return u.Span }, func(u *unready) bool { return u.N >= minUnready },
		func(u *unready) unready { return *u }) {
		explained := u.Span.First.Sub(l.Span.First) < unreadyAside
		for _, at := range known {
			explained = explained || at.Sub(u.Span.First).Abs() < stopBefore
		}
		if explained {
			continue
		}
		notes = append(notes, Note{"not-ready", u.Span.First, u.Span.Last, fmt.Sprintf(
			"The API server that wrote %s answered %d readiness probes with 500: it had been restarted, was told to stop, or could not reach etcd. "+
				"If it was restarted, open watches and sessions ended, and clients list again what they watch.", log, u.N)})
	}
	return notes
}
