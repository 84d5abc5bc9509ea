package main

import (
	"errors"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A window is the span of time that --since and --until leave. A zero end is
// open, and both belong to it.
type window struct{ since, until audit.Time }

// A moment is the value of --since or --until: a time, or how long before the
// log's end.
type moment struct {
	at     audit.Time
	back   bool // it counts back from the end
	before time.Duration
}

// times are the layouts of a time. What has no zone is UTC, as all that kaudit
// prints, and a date is the midnight with which it begins.
var times = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// parseMoment reads a time, where a space may stand for the T, or a duration,
// with or without a minus: kubectl takes it without.
func parseMoment(text string) (moment, error) {
	back, minus := strings.CutPrefix(text, "-")
	if d, err := time.ParseDuration(back); err == nil && !strings.ContainsAny(back, "+-") {
		return moment{back: true, before: d}, nil
	}
	if minus {
		return moment{}, errors.New("it must be a duration such as 2h or 90m")
	}
	for _, layout := range times {
		if t, err := time.Parse(layout, strings.Replace(text, " ", "T", 1)); err == nil {
			return moment{at: audit.TimeOf(t)}, nil
		}
	}
	return moment{}, errors.New("it must be a time such as 2026-11-29T13:45:00Z or 2026-11-29T13:45, or 2h to count back from the log's end")
}

// resolve returns the time that a flag's text means. end finds the log's end,
// and is called only if the text counts back from it.
func resolve(flag, text string, end func() (audit.Time, error)) (audit.Time, error) {
	m, err := parseMoment(text)
	if err != nil {
		return 0, valueError(flag, text, err)
	}
	if m.back {
		last, err := end()
		if err != nil {
			return 0, valueError(flag, text, err)
		}
		m.at = last.Add(-m.before)
	}
	if m.at == 0 {
		m.at = 1 // the epoch: 0 is an open end
	}
	return m.at, nil
}

// newWindow makes a window of --since and --until.
func newWindow(since, until string, end func() (audit.Time, error)) (w window, err error) {
	if since != "" {
		if w.since, err = resolve("--since", since, end); err != nil {
			return window{}, err
		}
	}
	if until != "" {
		if w.until, err = resolve("--until", until, end); err != nil {
			return window{}, err
		}
	}
	if w.since != 0 && w.until != 0 && w.until < w.since {
		return window{}, usagef("--until %s is before --since %s", w.until, w.since)
	}
	return w, nil
}

// newAround makes a window of --around and --window.
func newAround(around string, far time.Duration, end func() (audit.Time, error)) (window, error) {
	middle, err := resolve("--around", around, end)
	if err != nil {
		return window{}, err
	}
	return window{middle.Add(-far), middle.Add(far)}, nil
}
