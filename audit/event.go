// Package audit holds the record that all of kaudit works on: one event of a
// Kubernetes audit log, small and flat, and the questions that analyzers ask of
// it.
//
// The questions are methods, since most of them have an obvious answer that is
// wrong: who acted (the user, or the impersonated user), which client address
// can be trusted (the last one), when a long-running request began (when it was
// received; ResponseStarted may be written at its end), whether a write took
// effect.
package audit

import (
	"encoding/json"
	"fmt"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// An Event is one audit event. A Decoder fills the same Event again and again:
// numbers, Times, Syms and Source may be kept; every View and every slice is
// valid until the next event is read and must be copied to be kept.
type Event struct {
	// Where the event stands. Source is the file's name as the user gave it;
	// Log names the log that the file is a part of (the same, unless the file
	// is one of several rotated parts). Offset counts unwrapped bytes from the
	// file's start, and Line its lines, from 0.
	Source string
	Log    string
	Offset int64
	Line   int

	Origin Origin // the kind of log; the zero value is an audit log
	Level  Level
	Stage  Stage
	// Coarse is set if the log gives whole seconds only (v1alpha1, early
	// v1beta1), or one time of two: the event has a time but no latency.
	Coarse bool

	Verb      Sym
	User      Sym // user.username, empty for a request that failed authentication
	As        Sym // impersonatedUser.username
	UserAgent Sym // empty before Kubernetes 1.12, which did not log it
	Groups    []Sym
	SourceIPs []Sym // in the order of the log: forwarded addresses first, the TCP peer last

	Group       Sym // objectRef.apiGroup; empty is the core group
	Version     Sym // objectRef.apiVersion
	Resource    Sym // objectRef.resource; empty for a request outside /api and /apis
	Subresource Sym
	Namespace   Sym
	Name        View // objectRef.name; absent where the API server does not know it
	ObjectRV    View // objectRef.resourceVersion: what the client of an update sent

	Code    int  // responseStatus.code; 0 if absent
	Reason  Sym  // responseStatus.reason
	Message View // responseStatus.message

	AuditID View // a client may choose it, so it is never a key on its own
	URI     View // requestURI, JSON-decoded but still URL-encoded

	Received Time // requestReceivedTimestamp: the same on all stages of a request
	At       Time // stageTimestamp
	Guessed  bool // the year and time zone of the stamps are guessed: a line of klog has neither

	Annotations []Annotation

	Frames []string // of LinePanic and LineCrash: the topmost functions of the stack; may be kept

	Class Class // what Classify found; 0 until then
	Query Query // the parsed query of a list or watch, set by Classify as well

	// Raw is the event's own text in the log, without its carrier.
	Raw View
}

// An Annotation is one key and value of an event's annotations. See
// https://kubernetes.io/docs/reference/labels-annotations-taints/audit-annotations/.
type Annotation struct {
	Key   Sym
	Value View
}

// A View is text inside the buffer that an event was read from. It is valid
// until the next event is read; String copies it.
type View []byte

// String returns a copy that may be kept.
func (v View) String() string { return string(v) }

// Reset empties e and keeps its slices' room.
func (e *Event) Reset() {
	*e = Event{Groups: e.Groups[:0], SourceIPs: e.SourceIPs[:0], Annotations: e.Annotations[:0]}
}

// Full decodes the raw event into the API server's own type, with bodies. It
// allocates and is for the few events that need it.
func (e *Event) Full() (*auditv1.Event, error) {
	full := new(auditv1.Event)
	if err := json.Unmarshal(e.Raw, full); err != nil {
		return nil, fmt.Errorf("decode event %s: %w", e.AuditID, err)
	}
	return full, nil
}
