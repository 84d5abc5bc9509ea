package tally

import (
	"cmp"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Line is where one event of a request stands: the one that tells most of
// it. It is 80 bytes, without texts of its own, for tallies that keep many and
// cite few: what the event was about is told when it is cited.
type Line struct {
	Time    audit.Time  `json:"time"`
	Source  string      `json:"source"`
	Offset  int64       `json:"offset"`
	AuditID AuditID     `json:"auditID"`
	Line    int32       `json:"line"`
	Code    int32       `json:"code,omitempty"`
	Stage   audit.Stage `json:"stage"`
}

// Set makes e the event that l points at.
func (l *Line) Set(e *audit.Event) {
	l.AuditID.Set(e.AuditID)
	l.Time, l.Source, l.Offset, l.Line = e.At, e.Source, e.Offset, int32(e.Line)
	l.Stage, l.Code = e.Stage, int32(e.Code)
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
	about.At, about.Source, about.Offset, about.Line = l.Time, l.Source, l.Offset, int(l.Line)
	about.Stage, about.Code, about.AuditID = l.Stage, int(l.Code), audit.View(l.AuditID.String())
	return about.Ref()
}
