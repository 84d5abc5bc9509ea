package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxWatches is how many watches are sampled: enough to tell a share of one in twenty from
// none.
const maxWatches = 256

// A watchSample is a sample of watches, those with the lowest hashes. It shows whether the
// times of watches' stages can be trusted, and whether the log has the ends of watches.
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

// watchStages are what the stages of one watch tell of it.
type watchStages struct {
	Hash   uint64     `json:"hash"`
	Client uint64     `json:"client"` // Client.hash
	Began  audit.Time `json:"began"`
	Due    audit.Time `json:"due,omitempty"`   // when it should have ended; 0 if it asked for no time
	First  audit.Time `json:"first,omitempty"` // when it was at ResponseStarted, first
	Twice  bool       `json:"twice,omitempty"` // it was at ResponseStarted twice, at different times
	Early  bool       `json:"early,omitempty"` // see closedAtOnce
	Ended  bool       `json:"ended,omitempty"`
}

// untrusted reports whether the watch's stages can't have been when they say.
func (w *watchStages) untrusted() bool { return w.Twice || w.Early }

// started takes in that the watch was at ResponseStarted.
func (w *watchStages) started(at audit.Time) {
	w.Twice = w.Twice || w.First != 0 && w.First != at
	if w.First == 0 || at < w.First {
		w.First = at
	}
}

func (s *watchSample) observe(e *audit.Event) {
	if e.Code == 401 {
		return // it never has an end
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

// told takes in whose watch it is and when it began and was due. All stages of a watch say
// the same. If they don't, the lowest values count, whatever the order of events.
func (w *watchStages) told(client uint64, began, due audit.Time) {
	if w.Client == 0 || cmp.Or(cmp.Compare(client, w.Client), cmp.Compare(began, w.Began), cmp.Compare(due, w.Due)) < 0 {
		w.Client, w.Began, w.Due = client, began, due
	}
}

// closedAtOnce reports whether a watch ended within a second, long before its timeout, with
// the message that nothing had been written.
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

// untrustedWatches returns how many of the sampled watches have stages that can't have been
// when they say.
func (f *Facts) untrustedWatches() (untrusted, of int) {
	for i := range f.Quirks.Watches.Kept {
		if f.Quirks.Watches.Kept[i].untrusted() {
			untrusted++
		}
	}
	return untrusted, len(f.Quirks.Watches.Kept)
}

// WatchesTrusted reports whether the times of watches' stages can be trusted. They can't if
// the times of one watch in twenty are impossible, and of two at least.
func (f *Facts) WatchesTrusted() bool {
	untrusted, of := f.untrustedWatches()
	return untrusted < 2 || 20*untrusted < of
}

// endedBy is how long after its timeout a watch may end: an overloaded server is late, and
// one that is killed loses its last seconds in batch mode (30 s by default).
const endedBy = 30 * time.Second

// WatchEnds tells whether the log has the ends of all watches: of is the number of sampled
// watches that should have ended well before the log did, and missed is how many of these
// have no end. It looks only at clients other than c, and only at those of which the log
// has the end of some watch. It leaves out watches whose end may be missing because of a
// hole or of a server that was killed.
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
