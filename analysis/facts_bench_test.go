package analysis

import (
	"path/filepath"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// BenchmarkFacts observes a part of a recorded log again and again, each time
// as what came after: the cost of an event in a long log. The part is small,
// since a decoder has just filled the event it hands over; what is left of the
// cost of having it at hand is measured apart.
func BenchmarkFacts(b *testing.B) {
	for _, path := range recorded(b, "lab/[adf]-*/audit.log.gz") {
		name := filepath.Base(filepath.Dir(path))
		events := readLog(b, path)
		f := facts(events...)
		events = events[len(events)/2:][:1000]
		span := facts(events...).Span
		observe := func(b *testing.B, observe func(*audit.Event)) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := events[i%len(events)]
				e.At, e.Received = e.At.Add(span.Len()), e.Received.Add(span.Len())
				observe(e)
			}
		}
		b.Run(name+"/facts", func(b *testing.B) {
			observe(b, func(e *audit.Event) { f.Observe(e, true) })
		})
		b.Run(name+"/nothing", func(b *testing.B) { observe(b, touch) })
	}
}

var touched int

// touch reads what is looked at of most events.
func touch(e *audit.Event) {
	touched += len(e.Log) + int(e.Stage) + len(e.Annotations)
	for i := range e.Annotations {
		touched += len(e.Annotations[i].Key.String())
	}
	if len(e.URI) > 0 && len(e.SourceIPs) > 0 {
		touched += int(e.URI[0]) + int(e.URI[len(e.URI)-1]) + len(e.SourceIPs[0].String())
	}
}
