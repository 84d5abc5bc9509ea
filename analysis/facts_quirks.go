package analysis

import (
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
