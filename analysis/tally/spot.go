package tally

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Spot is a [Late] that is laid by: where an event stands and what it was
// about, in 88 bytes. What spots of one state have in common they share, if
// one [Spotter] makes them. The zero Spot is none.
type Spot struct {
	Time     audit.Time
	Received audit.Time

	offset, chunk int64
	in            *place
	about         *about
	id            AuditID
	line, code    int32
	stage         audit.Stage
	coarse        bool
}

// A place is a file, and the log that it is a part of.
type place struct{ source, log string }

// An about is what a request was for.
type about struct {
	verb, actor, group, resource, subresource, namespace audit.Sym

	text string // the object's name, the resourceVersion, and the path where there is no resource
	ends [2]uint32
}

// A Spotter makes spots of the events of one state. It remembers what the last
// ones were about: a client does few things again and again.
type Spotter struct {
	in     *place
	abouts [4]*about // the last one first
}

// Spot lays l, of an event of the given log, by.
func (s *Spotter) Spot(l *Late, log string) Spot {
	spot := Spot{
		Time: l.Time, Received: l.Received, offset: l.offset, chunk: l.chunk, in: s.place(l.source, log), about: s.aboutOf(l),
		line: l.line, code: l.code, stage: l.Stage, coarse: l.Coarse,
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

func (s *Spotter) aboutOf(l *Late) *about {
	for i, a := range s.abouts {
		if a != nil && a.is(l) {
			copy(s.abouts[1:], s.abouts[:i])
			s.abouts[0] = a
			return a
		}
	}
	a := &about{
		l.verb, l.actor, l.group, l.resource, l.subresource, l.namespace,
		string(l.texts()), l.textEnds(),
	}
	copy(s.abouts[1:], s.abouts[:])
	s.abouts[0] = a
	return a
}

func (a *about) is(l *Late) bool {
	return a.verb == l.verb && a.actor == l.actor && a.group == l.group && a.resource == l.resource &&
		a.subresource == l.subresource && a.namespace == l.namespace &&
		a.ends == l.textEnds() && a.text == string(l.texts())
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

// Late returns what was laid by.
func (s *Spot) Late() Late {
	l := Late{
		Time: s.Time, Received: s.Received, Stage: s.stage, Coarse: s.coarse, code: s.code, line: s.line,
		source: s.in.source, offset: s.offset, chunk: s.chunk,
		verb: s.about.verb, actor: s.about.actor, group: s.about.group, resource: s.about.resource,
		subresource: s.about.subresource, namespace: s.about.namespace,
	}
	text, ends := []byte(s.about.text), s.about.ends
	l.setText([]byte(s.id.String()), text[:ends[0]], text[ends[0]:ends[1]], text[ends[1]:])
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
