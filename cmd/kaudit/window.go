package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A window is the span of time that --since and --until choose, both ends
// included. A zero end is open.
type window struct{ since, until audit.Time }

// A moment is the value of --since or --until: a time, how long before the
// log's end, or a time of day.
type moment struct {
	at     audit.Time
	back   bool // it counts back from the end
	before time.Duration
	clock  *time.Time // only its time of day and zone count
}

// timeLayouts are the layouts of a time. One without a zone is UTC, as is all
// that kaudit prints; a date means the midnight with which it begins.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// clockLayouts are the layouts of a time of day.
var clockLayouts = []string{"15:04", "15:04:05", "15:04Z07:00", "15:04:05Z07:00"}

var errNoTime = errors.New("it must be a time such as 2026-11-29T13:45:00Z, 2026-11-29T13:45 or 13:45, or 2h to count back from the log's end")

// parseMoment reads a time, where a space may stand for the T, a time of day,
// or a duration, with or without a minus: kubectl takes it without.
func parseMoment(text string) (moment, error) {
	back, minus := strings.CutPrefix(text, "-")
	if d, ok := parseSpan(back); ok {
		return moment{back: true, before: d}, nil
	}
	if minus {
		return moment{}, errors.New("it must be a duration such as 2h or 90m")
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, strings.Replace(text, " ", "T", 1)); err == nil {
			return moment{at: audit.TimeOf(t)}, nil
		}
	}
	for _, layout := range clockLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{clock: &t}, nil
		}
	}
	return moment{}, errNoTime
}

// parseSpan reads a duration without a sign. It also takes whole days, as in 2d.
func parseSpan(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && !strings.ContainsAny(text, "+-")
}

// onDay returns the time of day c on the day of t, both in c's zone.
func onDay(c *time.Time, t audit.Time) audit.Time {
	day := t.Std().In(c.Location())
	return audit.TimeOf(time.Date(day.Year(), day.Month(), day.Day(), c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), c.Location()))
}

const day = 24 * time.Hour

// lastAt returns the last time at or before t when the clock shows c.
func lastAt(c *time.Time, t audit.Time) audit.Time {
	at := onDay(c, t)
	if at > t {
		at = at.Add(-day)
	}
	return at
}

// firstAt returns the first time at or after t when the clock shows c.
func firstAt(c *time.Time, t audit.Time) audit.Time {
	at := onDay(c, t)
	if at < t {
		at = at.Add(day)
	}
	return at
}

// A logSpan finds when the logs begin and end. It is asked only if a flag needs
// that, since the answer may take long.
type logSpan struct {
	end   func() (audit.Time, error)
	begin func() (audit.Time, error)
}

// resolve returns the time that the text of a flag means. clock chooses the day
// of a time of day, given when the log ends.
func (s logSpan) resolve(flag, text string, clock func(c *time.Time, end audit.Time) audit.Time) (audit.Time, error) {
	m, err := parseMoment(text)
	if err != nil {
		return 0, valueError(flag, text, err)
	}
	if m.back || m.clock != nil {
		end, err := s.end()
		switch {
		case errors.Is(err, context.Canceled):
			return 0, errInterrupted
		case err != nil:
			return 0, valueError(flag, text, err)
		case m.back:
			m.at = end.Add(-m.before)
		default:
			m.at = clock(m.clock, end)
		}
	}
	if m.at == 0 {
		m.at = 1 // the epoch itself: 0 would be an open end
	}
	return m.at, nil
}

// newWindow makes a window of --since and --until. A time of day means the last
// day on which the log covers it, and for --until the first such time after
// --since. If the log covers it on no day, it means the time nearest to the log.
func newWindow(since, until string, log logSpan) (w window, err error) {
	if since != "" {
		if w.since, err = log.resolve("--since", since, log.lastClock); err != nil {
			return window{}, err
		}
	}
	if until != "" {
		if w.until, err = log.resolve("--until", until, func(c *time.Time, end audit.Time) audit.Time {
			if w.since == 0 {
				return log.lastClock(c, end)
			}
			begin, _ := log.begin()
			return nearestAt(c, max(w.since, begin), end)
		}); err != nil {
			return window{}, err
		}
	}
	if w.since != 0 && w.until != 0 && w.until < w.since {
		return window{}, usagef("--until %s is before --since %s", w.until, w.since)
	}
	return w, nil
}

// lastClock chooses the day of a time of day: the last one on which the log covers
// it, or else the nearest. A log whose beginning is unknown is taken to cover it.
func (s logSpan) lastClock(c *time.Time, end audit.Time) audit.Time {
	last := lastAt(c, end)
	if begin, err := s.begin(); err == nil && last < begin {
		return nearestAt(c, begin, end)
	}
	return last
}

// nearestAt returns the first time in a span when the clock shows c, or if there
// is none, the time nearest to the span.
func nearestAt(c *time.Time, begin, end audit.Time) audit.Time {
	next := firstAt(c, begin)
	if before := next.Add(-day); next > end && begin.Sub(before) < next.Sub(end) {
		return before
	}
	return next
}

// newAround makes a window of --around and --window. A time of day means the last
// one whose window reaches into the log.
func newAround(around string, far time.Duration, log logSpan) (window, error) {
	middle, err := log.resolve("--around", around, func(c *time.Time, end audit.Time) audit.Time {
		return lastAt(c, end.Add(far))
	})
	if err != nil {
		return window{}, err
	}
	return window{middle.Add(-far), middle.Add(far)}, nil
}
