package top

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A clock makes a key of time, such as the minute. Rows whose first key is a time
// are in its order, and a row's rate is over the part of its minute or hour that
// the log covers. The zero clock is none.
type clock struct {
	layout string
	lasts  time.Duration
}

var (
	minutes = clock{"2006-01-02T15:04Z", time.Minute}
	hours   = clock{"2006-01-02T15Z", time.Hour}
)

func (c clock) value(b []byte, e *audit.Event) []byte {
	return e.Began().Std().AppendFormat(b, c.layout)
}

// A span is the time from one moment to another.
type span struct{ from, to audit.Time }

func (s span) length() time.Duration { return s.to.Sub(s.from) }

// of returns the part of s that a value of the clock names. A request may have come
// before the log begins: if no part of s has its time, it is the whole minute or
// hour.
func (c clock) of(value string, s span) span {
	began, err := time.Parse(c.layout, value)
	if c.lasts == 0 || err != nil {
		return s
	}
	its := span{audit.TimeOf(began), audit.TimeOf(began.Add(c.lasts))}
	if part := (span{max(s.from, its.from), min(s.to, its.to)}); part.from < part.to {
		return part
	}
	return its
}

// of returns the part of the span that a row's key names.
func (s span) of(clocks []clock, key []string) span {
	for i, c := range clocks {
		s = c.of(key[i], s)
	}
	return s
}

// together returns how much time the keys of rows name, each moment counted once:
// two users of one minute had one minute. The moments of a table do not overlap
// unless they are the same.
func (s span) together(clocks []clock, rows []Row) (all time.Duration) {
	seen := map[span]bool{}
	for i := range rows {
		if part := s.of(clocks, rows[i].Key); !seen[part] {
			seen[part] = true
			all += part.length()
		}
	}
	return all
}
