package tally

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unique"

	"github.com/kaudit/kaudit/audit"
)

// A Spot is a [Late] that is laid by: where an event stands and what it was
// about, in 120 bytes. What spots of one state have in common they share, if
// one [Spotter] makes them. The zero Spot is none.
type Spot struct {
	Time     audit.Time
	Received audit.Time

	offset     int64
	in         *place
	about      unique.Handle[about]
	actor      audit.Sym
	text       string    // name, resourceVersion and path, one after the other
	ends       [2]uint32 // of the first two
	id         AuditID
	line, code int32
	stage      audit.Stage
	coarse     bool
}

// A place is a file, and the log that it is a part of.
type place struct{ source, log string }

// An about is what requests of one kind are for: a log has some hundred kinds.
type about struct{ verb, group, resource, subresource, namespace audit.Sym }

// A Spotter makes spots of the events of one state. It remembers the last
// texts: a client does few things again and again.
type Spotter struct {
	in     *place
	texts  [4]string // the last one first
	kinds  [4]about
	abouts [4]unique.Handle[about] // of kinds
	next   int                     // of kinds, to be forgotten
}

// Spot lays l, of an event of the given log, by.
func (s *Spotter) Spot(l *Late, log string) Spot {
	spot := Spot{
		Time: l.Time, Received: l.Received, offset: l.offset,
		in: s.place(l.source, log), text: s.textOf(l), ends: l.textEnds(), actor: l.actor,
		about: s.about(about{l.verb, l.group, l.resource, l.subresource, l.namespace}),
		line:  l.line, code: l.code, stage: l.Stage, coarse: l.Coarse,
	}
	spot.id.Set(l.text(lateID))
	return spot
}

func (s *Spotter) place(source, log string) *place {
	if s.in == nil || s.in.source != source || s.in.log != log {
		s.in = &place{source, log}
	}
	return s.in
}

// about interns what a request is for.
func (s *Spotter) about(a about) unique.Handle[about] {
	for i := range s.kinds {
		if s.kinds[i] == a && s.abouts[i] != (unique.Handle[about]{}) {
			return s.abouts[i]
		}
	}
	i := s.next
	s.next = (i + 1) % len(s.kinds)
	s.kinds[i], s.abouts[i] = a, unique.Make(a)
	return s.abouts[i]
}

func (s *Spotter) textOf(l *Late) string {
	text := l.texts()
	if len(text) == 0 {
		return ""
	}
	i := slices.IndexFunc(s.texts[:], func(t string) bool { return t == string(text) })
	kept := ""
	if i >= 0 {
		kept = s.texts[i]
	} else {
		i, kept = len(s.texts)-1, string(text)
	}
	copy(s.texts[1:i+1], s.texts[:i])
	s.texts[0] = kept
	return kept
}

// Empty reports whether s is none.
func (s *Spot) Empty() bool { return s.in == nil }

// Log returns the log that the event stands in.
func (s *Spot) Log() string {
	if s.in == nil {
		return ""
	}
	return s.in.log
}

// Began returns what Event.Began does.
func (s *Spot) Began() audit.Time {
	if s.Received != 0 {
		return s.Received
	}
	return s.Time
}

// Compare orders spots by when the request began, then as audit.Ref.Compare does.
func (s *Spot) Compare(o *Spot) int {
	if c := cmp.Or(cmp.Compare(s.Began(), o.Began()), cmp.Compare(s.Time, o.Time)); c != 0 {
		return c // nearly always
	}
	if c := cmp.Or(strings.Compare(s.in.source, o.in.source), cmp.Compare(s.offset, o.offset)); c != 0 {
		return c
	}
	return strings.Compare(s.id.String(), o.id.String())
}

// follows reports whether s comes after e in the order of Compare.
func (s *Spot) follows(e *audit.Event) bool {
	if c := cmp.Or(cmp.Compare(s.Began(), e.Began()), cmp.Compare(s.Time, e.At)); c != 0 {
		return c > 0 // nearly always
	}
	if c := cmp.Or(strings.Compare(s.in.source, e.Source), cmp.Compare(s.offset, e.Offset)); c != 0 {
		return c > 0
	}
	return s.id.String() > string(e.AuditID)
}

// Late returns what was laid by.
func (s *Spot) Late() Late {
	about := s.about.Value()
	l := Late{
		Time: s.Time, Received: s.Received, Stage: s.stage, Coarse: s.coarse, code: s.code, line: s.line,
		source: s.in.source, offset: s.offset,
		verb: about.verb, actor: s.actor, group: about.group, resource: about.resource,
		subresource: about.subresource, namespace: about.namespace,
	}
	text := []byte(s.text)
	l.setText([]byte(s.id.String()), text[:s.ends[0]], text[s.ends[0]:s.ends[1]], text[s.ends[1]:])
	return l
}

// Ref makes the reference that the event would have made.
func (s *Spot) Ref() audit.Ref {
	l := s.Late()
	return l.Ref()
}

// savedSpot is a Spot's serial form.
type savedSpot struct {
	Log  string `json:"log,omitempty"`
	Late Late   `json:"late"`
}

// MarshalJSON writes what UnmarshalJSON reads.
func (s Spot) MarshalJSON() ([]byte, error) {
	if s.Empty() {
		return []byte("null"), nil
	}
	return json.Marshal(savedSpot{s.Log(), s.Late()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Spot) UnmarshalJSON(b []byte) error {
	*s = Spot{}
	if string(b) == "null" {
		return nil
	}
	var saved savedSpot
	if err := json.Unmarshal(b, &saved); err != nil {
		return err
	}
	*s = new(Spotter).Spot(&saved.Late, saved.Log)
	return nil
}
