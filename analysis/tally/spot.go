package tally

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unique"

	"github.com/kaudit/kaudit/audit"
)

// A Spot is a [Late] for keeping: the place of an event and what it was about, in 72 bytes.
// Spots that one [Spotter] makes share what they have in common. The zero Spot is none.
type Spot struct {
	site
	Received audit.Time
	about    unique.Handle[about]
	by       *words
}

// An about is the kind of a request. A log has some hundred of them.
type about struct {
	verb, group, resource, subresource, namespace audit.Sym
	coarse                                        bool
}

// Words are the texts of a request.
type words struct {
	actor audit.Sym
	text  string    // name, resourceVersion and path, one after the other
	ends  [2]uint32 // where name and resourceVersion end
}

// A Spotter makes the spots of one state. It remembers the last few words and kinds, since
// a client does the same few things again and again.
type Spotter struct {
	in    unique.Handle[place]
	said  [4]*words // the latest first
	kinds [4]unique.Handle[about]
	next  int // which of kinds to replace next
}

// Spot makes a Spot of l, which is of an event of the given log.
func (s *Spotter) Spot(l *Late, log string) Spot {
	spot := Spot{
		Received: l.Received, by: s.wordsOf(l),
		about: s.about(about{l.verb, l.group, l.resource, l.subresource, l.namespace, l.Coarse}),
	}
	spot.in = s.in
	spot.set(l.Time, l.source, log, l.offset, l.line, l.code, l.Stage, l.text(lateID))
	s.in = spot.in
	return spot
}

// about interns what a request is for.
func (s *Spotter) about(a about) unique.Handle[about] {
	for _, kind := range s.kinds {
		if kind != (unique.Handle[about]{}) && kind.Value() == a {
			return kind
		}
	}
	kind := unique.Make(a)
	s.kinds[s.next] = kind
	s.next = (s.next + 1) % len(s.kinds)
	return kind
}

func (s *Spotter) wordsOf(l *Late) *words {
	text, ends := l.texts(), l.textEnds()
	i := slices.IndexFunc(s.said[:], func(w *words) bool {
		return w != nil && w.actor == l.actor && w.ends == ends && w.text == string(text)
	})
	var said *words
	if i >= 0 {
		said = s.said[i]
	} else {
		i, said = len(s.said)-1, &words{l.actor, string(text), ends}
	}
	copy(s.said[1:i+1], s.said[:i])
	s.said[0] = said
	return said
}

// Log returns the log that the event stands in.
func (s *Spot) Log() string { return s.place().log }

// Began returns what Event.Began does.
func (s *Spot) Began() audit.Time {
	if s.Received != 0 {
		return s.Received
	}
	return s.Time
}

// Compare orders spots by when the request began, then as audit.Ref.Compare does.
func (s *Spot) Compare(o *Spot) int {
	if c := cmp.Or(cmp.Compare(s.Began(), o.Began()), s.compare(&o.site)); c != 0 {
		return c // nearly always
	}
	return strings.Compare(s.auditID(), o.auditID())
}

// follows reports whether s comes after e in the order of Compare.
func (s *Spot) follows(e *audit.Event) bool {
	if c := cmp.Or(cmp.Compare(s.Began(), e.Began()), s.compareTo(e.At, e.Source, e.Offset)); c != 0 {
		return c > 0 // nearly always
	}
	return s.auditID() > string(e.AuditID)
}

// Late returns the Late that s was made of.
func (s *Spot) Late() Late {
	about, in := s.about.Value(), s.place()
	l := Late{
		Time: s.Time, Received: s.Received, Stage: s.Stage(), Coarse: about.coarse, code: s.code, line: s.line,
		source: in.source, offset: s.offset(),
		verb: about.verb, actor: s.by.actor, group: about.group, resource: about.resource,
		subresource: about.subresource, namespace: about.namespace,
	}
	text, ends := []byte(s.by.text), s.by.ends
	l.setText([]byte(s.auditID()), text[:ends[0]], text[ends[0]:ends[1]], text[ends[1]:])
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
	if s.empty() {
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
