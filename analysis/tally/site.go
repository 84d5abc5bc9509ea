package tally

import (
	"cmp"
	"strings"
	"unique"

	"github.com/kaudit/kaudit/audit"
)

// A site is the place, identity and answer of an event, in 48 bytes, for tallies that keep
// many. The zero site is none.
type site struct {
	Time audit.Time
	at   int64 // the offset, and in the lowest stageBits the stage
	in   unique.Handle[place]
	id   uuid // the audit ID, or zero if in has it
	line int32
	code int32
}

// A place is a file, and the log that it is a part of. It also has the audit ID if that is
// no UUID, which is rare.
type place struct{ source, log, id string }

// stageBits is how many bits a stage takes.
const stageBits = 3

func (s *site) set(at audit.Time, source, log string, offset int64, line, code int32, stage audit.Stage, id audit.View) {
	s.Time, s.at, s.line, s.code = at, offset<<stageBits|int64(stage), line, code
	var odd audit.View
	if s.id, odd = splitID(id); !s.isIn(source, log, odd) {
		s.in = unique.Make(place{source, log, string(odd)})
	}
}

func (s *site) isIn(source, log string, odd audit.View) bool {
	if s.empty() {
		return false
	}
	in := s.in.Value()
	return in.source == source && in.log == log && in.id == string(odd)
}

func (s *site) empty() bool { return s.in == unique.Handle[place]{} }

func (s *site) offset() int64 { return s.at >> stageBits }

// Stage returns the stage of the event.
func (s *site) Stage() audit.Stage { return audit.Stage(s.at & (1<<stageBits - 1)) }

func (s *site) place() place {
	if s.empty() {
		return place{}
	}
	return s.in.Value()
}

func (s *site) auditID() string {
	if id := s.place().id; id != "" {
		return id
	}
	return s.id.String()
}

// compare orders sites by time, then by place.
func (s *site) compare(o *site) int { return s.compareTo(o.Time, o.place().source, o.offset()) }

func (s *site) compareTo(at audit.Time, source string, offset int64) int {
	if c := cmp.Compare(s.Time, at); c != 0 {
		return c // nearly always
	}
	return cmp.Or(strings.Compare(s.place().source, source), cmp.Compare(s.offset(), offset))
}
