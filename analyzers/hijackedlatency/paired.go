package hijackedlatency

import (
	"cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A paired is a session in a log whose events have one timestamp each, such as
// the entries of Cloud Logging: how long it lasted is the time from its
// ResponseStarted to its ResponseComplete.
type paired struct {
	Log      string     `json:"log"`
	Stream   bool       `json:"stream,omitempty"` // not hijacked
	Code     int        `json:"code"`
	Began    audit.Time `json:"began"` // 0 if the event is not in the log; likewise Ended
	BeganRef audit.Ref  `json:"beganRef"`
	Ended    audit.Time `json:"ended"`
	EndedRef audit.Ref  `json:"endedRef"`
}

// Plus joins what two states hold of the same session.
func (s paired) Plus(o paired) paired {
	if s.Log == "" || o.Log != "" && o.Log < s.Log {
		s.Log = o.Log
	}
	s.Stream, s.Code = s.Stream || o.Stream, max(s.Code, o.Code)
	if o.Began != 0 && (s.Began == 0 || o.BeganRef.Compare(s.BeganRef) < 0) {
		s.Began, s.BeganRef = o.Began, o.BeganRef
	}
	if o.Ended != 0 && (s.Ended == 0 || o.EndedRef.Compare(s.EndedRef) < 0) {
		s.Ended, s.EndedRef = o.Ended, o.EndedRef
	}
	return s
}

// observePaired takes in an event of a session that has no requestReceivedTimestamp.
func (s *State) observePaired(e *audit.Event) {
	session := s.Paired.At(requestName(tally.RequestHash(e)))
	if session == nil {
		return
	}
	about := paired{Log: e.Log, Stream: !e.Hijacked(), Code: e.Code}
	switch {
	case e.Final():
		about.Ended, about.EndedRef = e.At, e.Ref()
	case e.Stage == audit.StageResponseStarted:
		about.Began, about.BeganRef = e.At, e.Ref()
	}
	*session = session.Plus(about)
}

// withPaired returns l with the paired sessions added, or with the paired streams.
func (s *State) withPaired(l *lives, stream bool) *lives {
	if len(s.Paired.Rows) == 0 {
		return l
	}
	all := lives{Longest: tally.Sample[life]{K: keptLives}}
	all.merge(l)
	for i := range s.Paired.Rows {
		p := &s.Paired.Rows[i].Value
		if p.Stream != stream || p.Began == 0 || p.Ended <= p.Began {
			continue // no two times to tell a length by
		}
		one := life{Took: p.Ended.Sub(p.Began), From: p.Began, Ref: p.EndedRef}
		all.count(one.Took)
		all.Longest.Offer(
			func(kept *life) int { return cmp.Or(cmp.Compare(kept.Took, one.Took), one.Ref.Compare(kept.Ref)) },
			func() life { return one })
	}
	return &all
}

// openPaired adds the paired sessions that began and have no end. Nothing is kept
// of whether they had a terminal, so all are taken to have had one.
func (s *State) openPaired(p *analysis.Pass, all map[string][]unended) {
	if p.Facts.Coarse < p.Facts.Events {
		return // other events have both times, and so another hash: an end may not find its session
	}
	for i := range s.Paired.Rows {
		session := &s.Paired.Rows[i].Value
		if session.Began == 0 || session.Ended != 0 || !p.Facts.LogEnds(session.Log) {
			continue
		}
		half := &tally.Half{Received: session.Began, Started: session.Began, Code: session.Code, Ref: session.BeganRef}
		if kind := kindOf(p, half, true); kind != "" {
			u := whyOpen(p, session.Log, half)
			u.typed = true
			all[kind] = append(all[kind], u)
		}
	}
}
