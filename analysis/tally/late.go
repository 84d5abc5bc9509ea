package tally

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Late holds what a reference to an event is made of. Setting it copies some 200 bytes
// and usually allocates nothing, since an audit ID and a name fit into it. So a state can
// keep the latest event although, in a log in order of time, every event is the latest so
// far.
type Late struct {
	Time     audit.Time
	Received audit.Time
	Stage    audit.Stage
	Coarse   bool
	code     int32
	line     int32

	source string
	offset int64

	verb, actor, group, resource, subresource, namespace audit.Sym

	// The texts that are no Sym, one after the other: in room if they fit, else in long.
	ends [4]uint32 // where each of them ends
	room [80]byte
	long []byte
}

// The parts of a Late's text.
const (
	lateID   = iota
	lateName // of the object
	lateRV   // the resourceVersion parameter, decoded
	latePath // where there is no resource
)

// Set copies from e what a reference is made of.
func (l *Late) Set(e *audit.Event) {
	l.Time, l.Received, l.Coarse, l.Stage, l.code = e.At, e.Received, e.Coarse, e.Stage, int32(e.Code)
	l.source, l.offset, l.line = e.Source, e.Offset, int32(e.Line)
	l.verb, l.actor = e.Verb, e.Actor()
	l.group, l.resource, l.subresource, l.namespace = e.Group, e.Resource, e.Subresource, e.Namespace
	var path []byte
	if e.Resource == (audit.Sym{}) {
		path, _, _ = bytes.Cut(e.URI, []byte("?"))
	}
	l.setText(e.AuditID, e.Name, e.Param("resourceVersion"), path)
}

func (l *Late) setText(parts ...[]byte) {
	size := 0
	for i, part := range parts {
		size += len(part)
		l.ends[i] = uint32(size)
	}
	if size > len(l.room) {
		l.long = slices.Concat(parts...)
		return
	}
	size = 0
	for _, part := range parts {
		size += copy(l.room[size:], part)
	}
}

// all returns the text, with room behind it.
func (l *Late) all() []byte {
	if l.ends[latePath] > uint32(len(l.room)) {
		return l.long
	}
	return l.room[:]
}

// texts returns all parts of the text but the audit ID, and textEnds where two
// of them end: name and version. They are valid until Set.
func (l *Late) texts() []byte { return l.all()[l.ends[lateID]:l.ends[latePath]] }

func (l *Late) textEnds() [2]uint32 {
	return [2]uint32{l.ends[lateName] - l.ends[lateID], l.ends[lateRV] - l.ends[lateID]}
}

// text returns a part of the text. It is valid until Set.
func (l *Late) text(part int) []byte {
	all := l.all()
	from := uint32(0)
	if part > 0 {
		from = l.ends[part-1]
	}
	return all[from:l.ends[part]:l.ends[part]]
}

// Verb returns the event's verb.
func (l *Late) Verb() string { return l.verb.String() }

// Actor returns the user that the request acted as.
func (l *Late) Actor() audit.Sym { return l.actor }

// Code returns the status code.
func (l *Late) Code() int { return int(l.code) }

// Subresource returns the subresource of the request.
func (l *Late) Subresource() audit.Sym { return l.subresource }

// Namespace returns the namespace of the event's object.
func (l *Late) Namespace() audit.Sym { return l.namespace }

// Name returns the name of the event's object.
func (l *Late) Name() string { return string(l.text(lateName)) }

// Began returns what Event.Began does.
func (l *Late) Began() audit.Time {
	if l.Received != 0 {
		return l.Received
	}
	return l.Time
}

// Compare orders as audit.Ref.Compare does.
func (l *Late) Compare(o *Late) int {
	if c := cmp.Compare(l.Time, o.Time); c != 0 {
		return c
	}
	return cmp.Or(
		strings.Compare(l.source, o.source),
		cmp.Compare(l.offset, o.offset),
		bytes.Compare(l.text(lateID), o.text(lateID)),
	)
}

// CompareEvent orders l and e as audit.Ref.Compare would order their references.
func (l *Late) CompareEvent(e *audit.Event) int {
	if c := cmp.Compare(l.Time, e.At); c != 0 {
		return c // nearly always
	}
	return cmp.Or(
		strings.Compare(l.source, e.Source),
		cmp.Compare(l.offset, e.Offset),
		bytes.Compare(l.text(lateID), e.AuditID),
	)
}

// follows reports whether l comes after e, or with it, in the order of
// Spot.Compare.
func (l *Late) follows(e *audit.Event) bool {
	if c := cmp.Compare(l.Began(), e.Began()); c != 0 {
		return c > 0 // nearly always
	}
	return l.CompareEvent(e) >= 0
}

// Ref makes the reference that the event would have made.
func (l *Late) Ref() audit.Ref {
	e := audit.Event{
		At: l.Time, Received: l.Received, Coarse: l.Coarse, Stage: l.Stage, Code: int(l.code),
		Source: l.source, Offset: l.offset, Line: int(l.line),
		Verb: l.verb, User: l.actor,
		Group: l.group, Resource: l.resource, Subresource: l.subresource, Namespace: l.namespace,
		AuditID: l.text(lateID), Name: l.text(lateName), URI: slices.Clone(l.text(latePath)),
	}
	if rv := l.text(lateRV); len(rv) > 0 {
		e.URI = append(e.URI, "?resourceVersion="+url.QueryEscape(string(rv))...)
	}
	return e.Ref()
}

// savedLate is a Late's serial form. The parts that may be no UTF-8 are bytes.
type savedLate struct {
	Time        audit.Time  `json:"time"`
	Received    audit.Time  `json:"received"`
	Coarse      bool        `json:"coarse,omitempty"`
	Source      string      `json:"source"`
	Offset      int64       `json:"offset"`
	Line        int32       `json:"line"`
	Stage       audit.Stage `json:"stage"`
	Code        int32       `json:"code,omitempty"`
	Verb        audit.Sym   `json:"verb"`
	Actor       audit.Sym   `json:"actor"`
	Group       audit.Sym   `json:"group,omitzero"`
	Resource    audit.Sym   `json:"resource,omitzero"`
	Subresource audit.Sym   `json:"subresource,omitzero"`
	Namespace   audit.Sym   `json:"namespace,omitzero"`
	AuditID     []byte      `json:"auditID"`
	Name        []byte      `json:"name,omitempty"`
	RV          []byte      `json:"rv,omitempty"`
	Path        []byte      `json:"path,omitempty"`
}

// MarshalJSON writes what UnmarshalJSON reads.
func (l Late) MarshalJSON() ([]byte, error) {
	return json.Marshal(&savedLate{
		Time: l.Time, Received: l.Received, Coarse: l.Coarse, Stage: l.Stage, Code: l.code,
		Source: l.source, Offset: l.offset, Line: l.line,
		Verb: l.verb, Actor: l.actor,
		Group: l.group, Resource: l.resource, Subresource: l.subresource, Namespace: l.namespace,
		AuditID: l.text(lateID), Name: l.text(lateName), RV: l.text(lateRV), Path: l.text(latePath),
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Late) UnmarshalJSON(b []byte) error {
	var s savedLate
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*l = Late{
		Time: s.Time, Received: s.Received, Coarse: s.Coarse, Stage: s.Stage, code: s.Code,
		source: s.Source, offset: s.Offset, line: s.Line,
		verb: s.Verb, actor: s.Actor,
		group: s.Group, resource: s.Resource, subresource: s.Subresource, namespace: s.Namespace,
	}
	l.setText(s.AuditID, s.Name, s.RV, s.Path)
	return nil
}
