package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxWatches is how many watches are looked at: enough to tell a share of a
// twentieth from none.
const maxWatches = 256

// A watchSample looks at the watches with the smallest hashes, for signs that
// the stages of watches were written at other times than they say.
//
// With APIServingWithRoutine (an alpha feature that some builds of Kubernetes
// 1.30 have on, kubernetes 126466) the audit filter returns before the watch
// does: it writes a ResponseStarted of its own and a ResponseComplete, both
// "Connection closed early", and the watch writes another ResponseStarted
// later. Watches that are handed on to an aggregated API server also say
// "Connection closed early", but when they really end.
type watchSample struct {
	Kept  []watchStages `json:"kept,omitempty"` // by hash
	Spilt bool          `json:"spilt,omitempty"`
}

type watchStages struct {
	Hash   uint64     `json:"hash"`
	Client uint64     `json:"client"` // Client.hash
	Began  audit.Time `json:"began"`
	Due    audit.Time `json:"due,omitempty"`   // when it should have ended; 0 if it asked for no time
	First  audit.Time `json:"first,omitempty"` // ResponseStarted
	Twice  bool       `json:"twice,omitempty"` // and another one at another time
	Early  bool       `json:"early,omitempty"` // closed early, at once
	Ended  bool       `json:"ended,omitempty"`
}

func (w *watchStages) untrusted() bool { return w.Twice || w.Early }

func (w *watchStages) started(at audit.Time) {
	w.Twice = w.Twice || w.First != 0 && w.First != at
	if w.First == 0 || at < w.First {
		w.First = at
	}
}

func (s *watchSample) observe(e *audit.Event) {
	if e.Code == 401 {
		return // of such there is no end
	}
	w := s.of(e)
	switch {
	case w == nil:
	case e.Stage == audit.StageResponseStarted:
		w.started(e.At)
		w.Ended = w.Ended || e.Code >= 400
	case e.Final():
		w.Early = w.Early || closedAtOnce(e)
		w.Ended = true
	}
}

// of returns what is known of the event's watch, or nil if it is not kept.
func (s *watchSample) of(e *audit.Event) *watchStages {
	w := s.at(tally.RequestHash(e))
	if w != nil {
		began, due := e.Began(), audit.Time(0)
		if asked, limited := e.TimeoutSeconds(); limited {
			due = began.Add(asked)
		}
		w.told(clientOf(e).hash(), began, due)
	}
	return w
}

// told takes in whose watch it is and when. All stages of a watch say the same; of
// those that don't, the least counts, whichever came first.
func (w *watchStages) told(client uint64, began, due audit.Time) {
	if w.Client == 0 || cmp.Or(cmp.Compare(client, w.Client), cmp.Compare(began, w.Began), cmp.Compare(due, w.Due)) < 0 {
		w.Client, w.Began, w.Due = client, began, due
	}
}

// closedAtOnce reports whether a watch ended within a second, long before its
// time, and says that nothing had been written.
func closedAtOnce(e *audit.Event) bool {
	lived, ok := e.Latency()
	asked, limited := e.TimeoutSeconds()
	return ok && limited && lived < time.Second && lived < asked/2 && string(e.Message) == "Connection closed early"
}

func (s *watchSample) at(hash uint64) *watchStages {
	kept, at, spilt := tally.Least(s.Kept, maxWatches, hash, func(w *watchStages) uint64 { return w.Hash }, watchStages{Hash: hash})
	s.Kept, s.Spilt = kept, s.Spilt || spilt
	return at
}

func (s *watchSample) merge(o *watchSample) {
	s.Spilt = s.Spilt || o.Spilt
	for _, theirs := range o.Kept {
		if mine := s.at(theirs.Hash); mine != nil {
			mine.told(theirs.Client, theirs.Began, theirs.Due)
			if theirs.First != 0 {
				mine.started(theirs.First)
			}
			mine.Twice = mine.Twice || theirs.Twice
			mine.Early = mine.Early || theirs.Early
			mine.Ended = mine.Ended || theirs.Ended
		}
	}
}

// untrustedWatches returns how many watches have stages that can't have been
// written when they say, of how many that were looked at.
func (f *Facts) untrustedWatches() (untrusted, of int) {
	for i := range f.Quirks.Watches.Kept {
		if f.Quirks.Watches.Kept[i].untrusted() {
			untrusted++
		}
	}
	return untrusted, len(f.Quirks.Watches.Kept)
}

// WatchesTrusted reports whether the times of watches' stages can be trusted:
// unless a twentieth of them, and more than one, can't have been.
func (f *Facts) WatchesTrusted() bool {
	untrusted, of := f.untrustedWatches()
	return untrusted < 2 || 20*untrusted < of
}

// endedBy is how long after its time a watch may end: lines are written late in
// an overloaded server, and a killed one's last seconds are lost in batch mode
// (30 s by default).
const endedBy = 30 * time.Second

// WatchEnds returns how many watches should have ended well before the log did,
// and how many of these have no end: so it is known whether ends are written, and
// all of them. Asked are clients other than c that have an end in the log; some
// hundred watches of all are looked at. What a server that was killed, or a hole,
// may have taken is left out.
func (f *Facts) WatchEnds(c Client) (missed, of int) {
	starts := f.AllStarts()
	asked, ends := c.hash(), map[uint64]bool{}
	for i := range f.Quirks.Watches.Kept {
		if w := &f.Quirks.Watches.Kept[i]; w.Ended && w.Client != asked {
			ends[w.Client] = true
		}
	}
	for i := range f.Quirks.Watches.Kept {
		w := &f.Quirks.Watches.Kept[i]
		by := w.Due.Add(endedBy)
		if !ends[w.Client] || w.Due == 0 || by > f.Span.Last || f.InHole(w.Began, by) ||
			slices.ContainsFunc(starts, func(start audit.Time) bool { return w.Began < start && start <= by }) {
			continue
		}
		of++
		if !w.Ended {
			missed++
		}
	}
	return missed, of
}
