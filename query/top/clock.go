package top

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A clock is a key that is a time: rows that have it first are in its order,
// and a row's rate is by how much of its time the log covers.
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

// of returns the part of the span that a value of the clock names. Requests
// that came before the log begins have none there: the value's whole time
// stands in for it.
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

// lasted returns how long the requests of a row had to come in. The remainder
// of rows that are moments had what they leave.
func (t *Table) lasted(r *Row, whole span) time.Duration {
	if len(r.Key) > 0 {
		part := whole
		for i, c := range t.clocks {
			part = c.of(r.Key[i], part)
		}
		return part.length()
	}
	left := whole.length()
	if r == t.Rest && len(t.clocks) == 1 && t.clocks[0].lasts > 0 {
		for i := range t.Rows {
			left -= t.clocks[0].of(t.Rows[i].Key[0], whole).length()
		}
	}
	return left
}
