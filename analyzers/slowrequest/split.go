package slowrequest

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// The API server adds annotations with this prefix to requests that took more
// than half a second: apiserver pkg/endpoints/request/webhook_duration.go.
const latencyPrefix = "apiserver.latency.k8s.io/"

// queueWait is the part that a request waits for a seat: see throttling.
const queueWait = "apf-queue-wait"

// parts are the annotations that each tell of a part of a request's time.
var parts = [...]string{
	"etcd", "mutating-webhook", "validating-webhook", queueWait, "authentication", "authorization", "impersonation",
	"decode-response-object", "transform-response-object", "serialize-response-object", "response-write",
}

const (
	partQueue     = 3
	partSerialize = len(parts) - 2
	partWrite     = len(parts) - 1
)

// restOfSplit is the part of the time that no annotation accounts for: waiting
// for locks or a processor, admission plugins, reading the body, an aggregated
// API server.
const restOfSplit = "unexplained"

var (
	keyTotal      = audit.Intern(latencyPrefix + "total")
	keyMutating   = audit.Intern(latencyPrefix + "mutating-webhook")
	keyValidating = audit.Intern(latencyPrefix + "validating-webhook")
	partKeys      = internParts()
)

func internParts() (keys [len(parts)]audit.Sym) {
	for i, part := range parts {
		keys[i] = audit.Intern(latencyPrefix + part)
	}
	return keys
}

// A Split sums up where the time of requests went, in microseconds.
type Split struct {
	N      int64             `json:"n"`                // number of requests with the annotation total
	Total  int64             `json:"total"`            // of the time whose parts are known
	Parts  [len(parts)]int64 `json:"parts"`            // in the order of parts
	Silent int64             `json:"silent,omitempty"` // of the time of which the log says nothing
}

// add takes in a request. What was refused (429) did nothing but wait for a seat,
// whether the API server wrote so or, as old ones, did not.
func (s *Split) add(e *audit.Event, took time.Duration) {
	total := annotated(e, keyTotal)
	switch {
	case total > 0:
	case e.Code == 429:
		s.Total += took.Microseconds()
		s.Parts[partQueue] += took.Microseconds()
		return
	default:
		s.Silent += took.Microseconds()
		return
	}
	s.N++
	s.Total += total
	for i, key := range partKeys {
		s.Parts[i] += annotated(e, key)
	}
}

// annotated returns the duration in an annotation in microseconds, or 0 if there
// is none or it makes no sense.
func annotated(e *audit.Event, key audit.Sym) int64 {
	v := e.Annotation(key)
	if len(v) == 0 || len(v) > 32 {
		return 0
	}
	d, err := time.ParseDuration(analysis.NameOf(v))
	if err != nil || d < 0 || d > 24*time.Hour {
		return 0
	}
	return d.Microseconds()
}

func (s *Split) merge(o *Split) {
	s.N += o.N
	s.Total += o.Total
	s.Silent += o.Silent
	for i, n := range o.Parts {
		s.Parts[i] += n
	}
}

// seconds returns the seconds that each part took, with the rest as unexplained.
// Parts below a millisecond are left out. The time to serialize an object
// includes the time to write it to the client, so that is subtracted.
func (s *Split) seconds() map[string]any {
	split := map[string]any{}
	rest := s.Total
	for i, part := range parts {
		n := s.Parts[i]
		if i == partSerialize {
			n = max(0, n-s.Parts[partWrite])
		}
		rest -= n
		if n >= 1000 {
			split[part] = float64(n) / 1e6
		}
	}
	if s.N > 0 {
		split[restOfSplit] = float64(max(0, rest)) / 1e6
	}
	return split
}

// most returns the part that took more than half of all time, or "".
func (s *Split) most() string {
	for part, v := range s.seconds() {
		if 2*v.(float64)*1e6 > float64(s.Total+s.Silent) {
			return part
		}
	}
	return ""
}
