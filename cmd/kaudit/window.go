package main

import (
	"errors"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A window is the span of time that --since and --until leave. A zero end is
// open.
type window struct{ since, until audit.Time }

func (w window) holds(t audit.Time) bool {
	return (w.since == 0 || t >= w.since) && (w.until == 0 || t <= w.until)
}

// A moment is the value of --since or --until: a time, or how long before the
// log's end.
type moment struct {
	at     audit.Time
	back   bool // it counts back from the end
	before time.Duration
}

func parseMoment(text string) (moment, error) {
	if back, ok := strings.CutPrefix(text, "-"); ok {
		d, err := time.ParseDuration(back)
		if err != nil || d < 0 {
			return moment{}, errors.New("it must be a duration such as -2h or -90m")
		}
		return moment{back: true, before: d}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return moment{}, errors.New("it must be a time such as 2026-11-29T13:45:00Z, or -2h to count back from the log's end")
	}
	return moment{at: audit.TimeOf(t)}, nil
}

// newWindow makes a window of the two flags. end finds the log's end, and is
// called only if one of them counts back from it.
func newWindow(since, until string, end func() (audit.Time, error)) (window, error) {
	var w window
	for _, side := range []struct {
		flag, text string
		to         *audit.Time
	}{{"--since", since, &w.since}, {"--until", until, &w.until}} {
		if side.text == "" {
			continue
		}
		m, err := parseMoment(side.text)
		if err != nil {
			return window{}, valueError(side.flag, side.text, err)
		}
		if m.back {
			last, err := end()
			if err != nil {
				return window{}, valueError(side.flag, side.text, err)
			}
			m.at = last.Add(-m.before)
		}
		*side.to = m.at
		if m.at == 0 {
			*side.to = 1 // the epoch: 0 is an open end
		}
	}
	if w.since != 0 && w.until != 0 && w.until < w.since {
		return window{}, usagef("--until %s is before --since %s", w.until, w.since)
	}
	return w, nil
}
