package stuckwatch

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A Line is where an event of a watch stands, and what its reference is made
// of beside the key and the version: a state has many, and few are cited.
type Line struct {
	Time    audit.Time  `json:"time"`
	Source  string      `json:"source"`
	Offset  int64       `json:"offset"`
	Chunk   int64       `json:"chunk"`
	Line    int         `json:"line"`
	Stage   audit.Stage `json:"stage"`
	Code    int         `json:"code,omitempty"`
	AuditID string      `json:"auditID"`
}

func (l *Line) set(e *audit.Event) {
	id := l.AuditID
	if id != string(e.AuditID) {
		id = e.AuditID.String()
	}
	*l = Line{
		Time: e.At, Source: e.Source, Offset: e.Offset, Chunk: e.Chunk, Line: e.Line,
		Stage: e.Stage, Code: e.Code, AuditID: id,
	}
}

// worseThan reports whether e, of the same watch, tells more: a later stage,
// or of repeated lines the one that comes first.
func (l *Line) worseThan(e *audit.Event) bool {
	return cmp.Or(
		cmp.Compare(e.Stage, l.Stage),
		cmp.Compare(l.Time, e.At),
		strings.Compare(l.Source, e.Source),
		cmp.Compare(l.Offset, e.Offset),
	) > 0
}

// better returns the line that tells more of the same watch.
func better(a, b Line) Line {
	if cmp.Or(
		cmp.Compare(b.Stage, a.Stage),
		cmp.Compare(a.Time, b.Time),
		strings.Compare(a.Source, b.Source),
		cmp.Compare(a.Offset, b.Offset),
	) > 0 {
		return b
	}
	return a
}

// ref makes the reference that the event would have made.
func (l *Line) ref(key *analysis.Key, rv uint64, from audit.Time) audit.Ref {
	e := audit.Event{
		At: l.Time, Received: from, Source: l.Source, Offset: l.Offset, Chunk: l.Chunk, Line: l.Line,
		Stage: l.Stage, Code: l.Code, AuditID: audit.View(l.AuditID),
		Verb: audit.VerbWatch, User: key.User, Group: key.Group, Resource: key.Resource,
		Namespace: key.Namespace, Name: audit.View(key.Name),
	}
	if rv != 0 {
		e.URI = audit.View("?resourceVersion=" + strconv.FormatUint(rv, 10))
	}
	return e.Ref()
}
