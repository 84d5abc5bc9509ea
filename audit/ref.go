package audit

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A Ref is a reference to an event that may be kept: its place in the log and a
// one-line summary. Line counts from 0, as in Event.
type Ref struct {
	Time    Time // Event.At
	Source  string
	Offset  int64 // of the event's first byte in Source, once it is unpacked
	Line    int
	AuditID string
	Stage   Stage
	Summary string // see Event.Summary
}

// Ref returns a reference to e. It allocates: call it for what is kept.
func (e *Event) Ref() Ref {
	return Ref{
		Time: e.At, Source: e.Source, Offset: e.Offset, Line: e.Line,
		AuditID: e.AuditID.String(), Stage: e.Stage, Summary: e.Summary(),
	}
}

// Compare orders references by time, then by place: the order in which samples
// are kept. It is total over the events of a log.
func (r Ref) Compare(s Ref) int {
	return cmp.Or(
		cmp.Compare(r.Time, s.Time),
		strings.Compare(r.Source, s.Source),
		cmp.Compare(r.Offset, s.Offset),
		strings.Compare(r.AuditID, s.AuditID),
	)
}

// CompareRef orders e and r as Compare would order e.Ref() and r, without
// making a reference. It is called for every event that is offered to a sample,
// and the time nearly always decides.
func (e *Event) CompareRef(r *Ref) int {
	if c := cmp.Compare(e.At, r.Time); c != 0 {
		return c
	}
	if c := strings.Compare(e.Source, r.Source); c != 0 {
		return c
	}
	if c := cmp.Compare(e.Offset, r.Offset); c != 0 {
		return c
	}
	switch { // comparing a converted View does not copy it
	case string(e.AuditID) < r.AuditID:
		return -1
	case string(e.AuditID) > r.AuditID:
		return 1
	}
	return 0
}

// Target names the object or path of the request: "services",
// "shop/pods/web-0/exec", "nodes/n1/status", "/healthz". Secrets may travel in
// queries, so the query is left out.
func (e *Event) Target() string {
	if e.Resource == (Sym{}) {
		path, _, _ := strings.Cut(e.URI.String(), "?")
		return path
	}
	var b strings.Builder
	if e.Namespace != (Sym{}) {
		b.WriteString(e.Namespace.String() + "/")
	}
	b.WriteString(e.Resource.String())
	if e.Group != (Sym{}) {
		b.WriteString("." + e.Group.String())
	}
	if len(e.Name) > 0 {
		b.WriteString("/" + e.Name.String())
	}
	if e.Subresource != (Sym{}) {
		b.WriteString("/" + e.Subresource.String())
	}
	return b.String()
}

// Summary describes the event in one line: verb, target, requested
// resourceVersion, code, duration, actor. For an OriginLine event it is the
// kind and the text of the line.
func (e *Event) Summary() string {
	if e.Origin == OriginLine {
		return e.lineSummary()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.Verb, e.Target())
	if rv := e.Param("resourceVersion"); len(rv) > 0 {
		fmt.Fprintf(&b, " resourceVersion=%s", rv)
	}
	if e.Code != 0 {
		fmt.Fprintf(&b, " -> %d", e.Code)
	}
	if d, ok := e.Latency(); ok {
		precision := time.Millisecond
		if d < precision {
			precision = time.Microsecond // what failed at once did not take 0s
		}
		fmt.Fprintf(&b, " after %s", d.Round(precision))
	}
	if actor := e.Actor(); actor != (Sym{}) {
		fmt.Fprintf(&b, " by %s", actor)
	}
	return b.String()
}

// maxSummary bounds what is told of a line.
const maxSummary = 200

func (e *Event) lineSummary() string {
	said := string(e.Message[:min(len(e.Message), maxSummary)])
	if len(e.URI) > 0 {
		said = fmt.Sprintf("%s %s", e.Verb, e.Target())
	}
	return fmt.Sprintf("%s: %s", e.Reason, said)
}
