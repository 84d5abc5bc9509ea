package analysis

import (
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// quirkFacts are about things that make parts of a log worth less than they seem: bodies
// that were cut off, latencies without annotations, watches whose times are wrong,
// requests that were logged twice.
type quirkFacts struct {
	Truncated     int64      `json:"truncated,omitempty"` // events whose bodies the API server left out
	TruncatedSpan tally.Span `json:"truncatedSpan"`

	Slow     int64       `json:"slow,omitempty"`   // requests that took longer than slowLimit and are not long-running
	Untold   int64       `json:"untold,omitempty"` // those of Slow without latency annotations
	SlowSpan tally.Span  `json:"slowSpan"`
	Watches  watchSample `json:"watches"`
	Twins    tally.Twins `json:"twins"`
}

var annotationTruncated = audit.Intern("audit.k8s.io/truncated")

const (
	latencyPrefix = "apiserver.latency.k8s.io/"
	// slowLimit is the latency above which the API server annotates a request. Source:
	// apiserver pkg/endpoints/filters/audit.go.
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

// explained reports whether the event has a latency annotation.
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
