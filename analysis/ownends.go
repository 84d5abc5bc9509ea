package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// maxOwnEnds is how many ends of requests are kept, some 100 bytes each: those whose audit
// IDs have the lowest hashes.
const maxOwnEnds = 1 << 15

// ownEnds are the ends of requests that httplog tells of, by audit ID.
type ownEnds struct{ table[idKey, OwnEnd] }

// An idKey is the hash of an audit ID.
type idKey uint64

func (k idKey) hash() uint64        { return uint64(k) }
func (k idKey) quick() uint64       { return uint64(k) }
func (k idKey) compare(o idKey) int { return cmp.Compare(k, o) }

// An OwnEnd is the end of a request as an httplog line has it, and where that line is. The
// year and zone of its time may be guessed.
type OwnEnd struct {
	Took   time.Duration `json:"took"`
	Code   int           `json:"code,omitempty"` // 101 of a connection that was taken over
	At     audit.Time    `json:"at"`
	Source string        `json:"source"`
	Offset int64         `json:"offset"`
	Line   int           `json:"line"`
}

// Ref returns a reference to the line. id is the request's audit ID.
func (s OwnEnd) Ref(id string) audit.Ref {
	summary := fmt.Sprintf("httplog: it ended after %s", s.Took.Round(time.Millisecond))
	if s.Code != 0 {
		summary += fmt.Sprintf(" with %d", s.Code)
	}
	return audit.Ref{
		Time: s.At, Source: s.Source, Offset: s.Offset, Line: s.Line,
		AuditID: id, Stage: audit.StageResponseComplete, Summary: summary,
	}
}

func newOwnEnds() ownEnds { return ownEnds{newTable[idKey, OwnEnd](maxOwnEnds)} }

// UnmarshalJSON reads what was saved, and sets the cap, which is not saved.
func (s *ownEnds) UnmarshalJSON(b []byte) error {
	saved := newTable[idKey, OwnEnd](maxOwnEnds)
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("read ends of an own log: %w", err)
	}
	s.table = saved
	return nil
}

func (s *ownEnds) observe(e *audit.Event) {
	if hash := idHash(e.AuditID); hash != 0 {
		if kept := s.at(idKey(hash)); kept != nil {
			kept.keep(OwnEnd{e.At.Sub(e.Received), e.Code, e.At, e.Source, e.Offset, e.Line})
		}
	}
}

// keep takes o in place of s if both have one audit ID and o's request took longer, or if
// both lines tell of one request and o's stands first.
func (s *OwnEnd) keep(o OwnEnd) {
	if *s == (OwnEnd{}) || cmp.Or(
		cmp.Compare(o.Took, s.Took), cmp.Compare(o.Code, s.Code), cmp.Compare(s.Source, o.Source), cmp.Compare(s.Offset, o.Offset),
	) > 0 {
		*s = o
	}
}

func (s *ownEnds) merge(o *ownEnds) {
	s.table.merge(&o.table, func(mine, theirs *OwnEnd) { mine.keep(*theirs) })
}

// OwnEnd returns how the request with an audit ID ended, if the API server's own log has
// it. It is for requests whose end the audit log lacks.
func (f *Facts) OwnEnd(id audit.View) (end OwnEnd, ok bool) {
	if kept := f.Own.Ends.get(idKey(idHash(id))); kept != nil {
		return *kept, true
	}
	return OwnEnd{}, false
}
