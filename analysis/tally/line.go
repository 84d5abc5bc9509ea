package tally

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/kaudit/kaudit/audit"
)

// A Line is the place of one event of a request: the one that tells the most about it. It
// takes 48 bytes, for tallies that keep many and cite few: what the event was about must be
// given when it is cited. The zero Line points at no event.
type Line struct{ site }

// Set makes e the event that l points at.
func (l *Line) Set(e *audit.Event) {
	l.set(e.At, e.Source, "", e.Offset, int32(e.Line), int32(e.Code), e.Stage, e.AuditID)
}

// Empty reports whether l points at no event.
func (l *Line) Empty() bool { return l.empty() }

// Source returns the name of the file that has the event.
func (l *Line) Source() string { return l.place().source }

// Offer makes l point at e, an event of the same request, if that tells more: its stage is
// later, or the stage is the same and e comes first.
func (l *Line) Offer(e *audit.Event) {
	if l.Empty() || cmp.Or(cmp.Compare(e.Stage, l.Stage()), l.CompareEvent(e)) > 0 {
		l.Set(e)
	}
}

// Better returns the line that tells more of the same request.
func (l Line) Better(o Line) Line {
	if l.Empty() || !o.Empty() && cmp.Or(cmp.Compare(o.Stage(), l.Stage()), l.Compare(&o)) > 0 {
		return o
	}
	return l
}

// Compare orders lines by the time of their events, then by place.
func (l *Line) Compare(o *Line) int { return l.compare(&o.site) }

// CompareEvent orders l and the line of e.
func (l *Line) CompareEvent(e *audit.Event) int { return l.compareTo(e.At, e.Source, e.Offset) }

// ComparePlace orders lines by place alone.
func (l *Line) ComparePlace(o *Line) int { return l.compareTo(l.Time, o.Source(), o.offset()) }

// Ref makes the reference that the event would have made. about must have what all events
// of the request have in common.
func (l *Line) Ref(about audit.Event) audit.Ref {
	about.At, about.Source, about.Offset, about.Line = l.Time, l.Source(), l.offset(), int(l.line)
	about.Stage, about.Code, about.AuditID = l.Stage(), int(l.code), audit.View(l.auditID())
	return about.Ref()
}

// savedLine is a Line's serial form.
type savedLine struct {
	Time    audit.Time  `json:"time"`
	Source  string      `json:"source"`
	Offset  int64       `json:"offset"`
	AuditID string      `json:"auditID"`
	Line    int32       `json:"line"`
	Code    int32       `json:"code,omitempty"`
	Stage   audit.Stage `json:"stage"`
}

// MarshalJSON writes what UnmarshalJSON reads.
func (l Line) MarshalJSON() ([]byte, error) {
	if l.Empty() {
		return []byte("null"), nil
	}
	return json.Marshal(savedLine{l.Time, l.Source(), l.offset(), l.auditID(), l.line, l.code, l.Stage()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Line) UnmarshalJSON(b []byte) error {
	*l = Line{}
	if string(b) == "null" {
		return nil
	}
	var s savedLine
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read a line: %w", err)
	}
	l.set(s.Time, s.Source, "", s.Offset, s.Line, s.Code, s.Stage, audit.View(s.AuditID))
	return nil
}
