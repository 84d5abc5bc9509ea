package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// quirkFacts are what makes parts of a log less than they seem.
type quirkFacts struct {
	Truncated     int64      `json:"truncated,omitempty"` // events whose bodies the server cut off
	TruncatedSpan tally.Span `json:"truncatedSpan"`

	Slow     int64       `json:"slow,omitempty"`   // requests over slowLimit, not long-running
	Untold   int64       `json:"untold,omitempty"` // of these, without latency annotations
	SlowSpan tally.Span  `json:"slowSpan"`
	Watches  watchSample `json:"watches"`
	Twins    tally.Twins `json:"twins"`
}

var annotationTruncated = audit.Intern("audit.k8s.io/truncated")

const (
	latencyPrefix = "apiserver.latency.k8s.io/"
	// The API server annotates requests that took longer. Source: apiserver
	// pkg/endpoints/filters/audit.go.
	slowLimit = 500 * time.Millisecond
)

func (q *quirkFacts) observe(e *audit.Event) {
	for i := range e.Annotations {
		if e.Annotations[i].Key == annotationTruncated && string(e.Annotations[i].Value) == "true" {
			q.Truncated++
			q.TruncatedSpan.Add(e.At)
		}
	}
	if e.IsWatch() {
		q.Watches.observe(e)
		return
	}
	if e.Stage == audit.StageResponseComplete {
		q.Twins.Observe(e)
	}
	if d, ok := e.Latency(); ok && d > slowLimit && e.Stage == audit.StageResponseComplete && !e.LongRunning() {
		q.Slow++
		q.SlowSpan.Add(e.At)
		if !explained(e) {
			q.Untold++
		}
	}
}

func explained(e *audit.Event) bool {
	return slices.ContainsFunc(e.Annotations, func(a audit.Annotation) bool {
		return strings.HasPrefix(a.Key.String(), latencyPrefix)
	})
}

func (q *quirkFacts) merge(o *quirkFacts) {
	q.Truncated += o.Truncated
	q.TruncatedSpan.Merge(o.TruncatedSpan)
	q.Slow += o.Slow
	q.Untold += o.Untold
	q.SlowSpan.Merge(o.SlowSpan)
	q.Watches.merge(&o.Watches)
	q.Twins.Merge(&o.Twins)
}

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
	Hash  uint64     `json:"hash"`
	Began audit.Time `json:"began"`
	First audit.Time `json:"first,omitempty"` // ResponseStarted
	Twice bool       `json:"twice,omitempty"` // and another one at another time
	Early bool       `json:"early,omitempty"` // closed early, at once
}

func (w *watchStages) untrusted() bool { return w.Twice || w.Early }

func (w *watchStages) started(at audit.Time) {
	w.Twice = w.Twice || w.First != 0 && w.First != at
	if w.First == 0 || at < w.First {
		w.First = at
	}
}

func (s *watchSample) observe(e *audit.Event) {
	switch e.Stage {
	case audit.StageResponseStarted:
		if w := s.at(tally.RequestHash(e), e.Began()); w != nil {
			w.started(e.At)
		}
	case audit.StageResponseComplete:
		if w := s.at(tally.RequestHash(e), e.Began()); w != nil {
			w.Early = w.Early || closedAtOnce(e)
		}
	}
}

// closedAtOnce reports whether a watch ended within a second, long before its
// time, and says that nothing had been written.
func closedAtOnce(e *audit.Event) bool {
	lived, ok := e.Latency()
	asked, limited := e.TimeoutSeconds()
	return ok && limited && lived < time.Second && lived < asked/2 && string(e.Message) == "Connection closed early"
}

func (s *watchSample) at(hash uint64, began audit.Time) *watchStages {
	full := len(s.Kept) == maxWatches
	if full && hash > s.Kept[maxWatches-1].Hash {
		s.Spilt = true
		return nil
	}
	i, found := slices.BinarySearchFunc(s.Kept, hash, func(w watchStages, hash uint64) int {
		return cmp.Compare(w.Hash, hash)
	})
	if !found {
		if full {
			s.Spilt = true
			s.Kept = s.Kept[:maxWatches-1]
		}
		s.Kept = slices.Insert(s.Kept, i, watchStages{Hash: hash, Began: began})
	}
	return &s.Kept[i]
}

func (s *watchSample) merge(o *watchSample) {
	s.Spilt = s.Spilt || o.Spilt
	for _, theirs := range o.Kept {
		if mine := s.at(theirs.Hash, theirs.Began); mine != nil {
			if theirs.First != 0 {
				mine.started(theirs.First)
			}
			mine.Twice = mine.Twice || theirs.Twice
			mine.Early = mine.Early || theirs.Early
		}
	}
}

// UntrustedWatches returns how many watches have stages that can't have been
// written when they say, of how many that were looked at.
func (f *Facts) UntrustedWatches() (untrusted, of int) {
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
	untrusted, of := f.UntrustedWatches()
	return untrusted < 2 || 20*untrusted < of
}
