package parser

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// An eventDecoder turns the bytes of one event into an Event. There are two,
// with one meaning: reference, on Kubernetes' own types, and fast, ours. A
// decoder is for one goroutine.
type eventDecoder interface {
	// decode reads raw, one JSON value without what carried it, into e. It
	// resets e first and sets e.Raw to raw; where the event stands is the
	// caller's to set, afterwards. Views of e point into raw or into the
	// decoder, and are valid until release. Names are interned in syms.
	//
	// If the verdict is not decoded, e holds nothing of worth.
	decode(raw []byte, e *audit.Event, syms *audit.Syms) verdict

	// release lets the decoder use again what views of events point into.
	release()
}

// A verdict is what a decoder says of the bytes that it was given.
type verdict uint8

const (
	// decoded: it is an audit event, and the Event is filled.
	decoded verdict = iota
	// unsure is said by fast alone: whether this is an event and what it means
	// must be asked of reference. It is never a refusal.
	unsure
	// malformed: it is no JSON, though it begins as an object or has keys of an
	// audit event (lines torn or run together); or it is an audit event that
	// Kubernetes would not read (a field of another type), or one without a time,
	// from before 1970 or from after 2200.
	malformed
	// truncated: it begins as a JSON object and ends inside it.
	truncated
	// foreign: something else. Text, or JSON that is no audit event.
	foreign
	// ownLine: a line of the own log of an API server or kubelet.
	ownLine
	// held: it was opened as a carrier, or waits for the lines that follow; the
	// texts that it holds are looked at next.
	held
)

// String names the verdict.
func (v verdict) String() string {
	return [...]string{"decoded", "unsure", "malformed", "truncated", "foreign", "ownLine", "held"}[v]
}

// newEventDecoder returns the decoder for a worker. A strict one asks the
// reference for every event.
func newEventDecoder(strict bool) eventDecoder {
	if strict {
		return reference{}
	}
	return &hybrid{}
}

// hybrid is the decoder of ordinary runs: fast, and reference where fast is
// unsure.
type hybrid struct {
	fast      fast
	reference reference
}

func (h *hybrid) release() { h.fast.release() }

func (h *hybrid) decode(raw []byte, e *audit.Event, syms *audit.Syms) verdict {
	if v := h.fast.decode(raw, e, syms); v != unsure {
		return v
	}
	return h.reference.decode(raw, e, syms)
}

// isEvent reports whether a JSON object is an audit event, given its kind and
// apiVersion, and e, which was decoded from it. The items of an EventList have
// neither, and shippers that re-encode events may drop one of them: then the
// fields decide. No other object of Kubernetes has a stage and a URI.
func isEvent(kind, apiVersion []byte, e *audit.Event) bool {
	if len(kind) > 0 && string(kind) != "Event" {
		return false
	}
	switch string(apiVersion) {
	case "audit.k8s.io/v1", "audit.k8s.io/v1beta1", "audit.k8s.io/v1alpha1":
		return true
	case "":
		return e.Stage != audit.StageUnknown && (len(e.AuditID) > 0 || len(e.URI) > 0 && e.Verb != audit.Sym{})
	}
	return false
}

// settleTime makes sure that e has a time. An event that has only the time of its
// receipt gets that. It reports false if e has no time at all, or one before 1970
// or after dawn: such an event proves nothing, would date findings to 1970 or
// make every step of time years long.
func settleTime(e *audit.Event) bool {
	if e.At == 0 {
		e.At, e.Coarse = e.Received, true
	}
	return e.At != 0 && min(e.At, e.Received) >= 0 && !farAhead(e)
}

// dawn is the time from which on an event is taken for a mistake.
var dawn = audit.TimeOf(time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC))

func farAhead(e *audit.Event) bool { return max(e.At, e.Received) >= dawn }
