package tally

import (
	"cmp"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Line is where one event of a request stands: the one that tells most of
// it. It is a third of the size of an [audit.Ref], for tallies that keep many
// and cite few: what the event was about is told when it is cited.
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

// Set makes e the event that l points at.
func (l *Line) Set(e *audit.Event) {
	id := l.AuditID
	if id != string(e.AuditID) {
		id = e.AuditID.String()
	}
	*l = Line{
		Time: e.At, Source: e.Source, Offset: e.Offset, Chunk: e.Chunk, Line: e.Line,
		Stage: e.Stage, Code: e.Code, AuditID: id,
	}
}

// Offer makes e, an event of the same request, the one that l points at if it
// tells more: a later stage, or of lines that are repeated the first.
func (l *Line) Offer(e *audit.Event) {
	if l.Source == "" && l.Time == 0 || l.compare(&Line{Time: e.At, Source: e.Source, Offset: e.Offset, Stage: e.Stage}) > 0 {
		l.Set(e)
	}
}

// Better returns the line that tells more of the same request.
func (l Line) Better(o Line) Line {
	if l.compare(&o) > 0 {
		return o
	}
	return l
}

// compare orders lines of one request: what tells more comes first.
func (l *Line) compare(o *Line) int {
	return cmp.Or(
		cmp.Compare(o.Stage, l.Stage),
		cmp.Compare(l.Time, o.Time),
		strings.Compare(l.Source, o.Source),
		cmp.Compare(l.Offset, o.Offset),
	)
}

// Ref makes the reference that the event would have made, if about says what
// all events of the request have in common.
func (l *Line) Ref(about audit.Event) audit.Ref {
	about.At, about.Source, about.Offset, about.Chunk, about.Line = l.Time, l.Source, l.Offset, l.Chunk, l.Line
	about.Stage, about.Code, about.AuditID = l.Stage, l.Code, audit.View(l.AuditID)
	return about.Ref()
}
