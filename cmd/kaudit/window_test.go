package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

func TestWindow(t *testing.T) {
	log := logOf(t, "2026-11-28T22:00:00Z", "2026-11-29T14:00:00Z")
	for _, c := range []struct{ since, until, from, to string }{
		{"2026-11-29T13:00:00Z", "", "2026-11-29T13:00:00Z", ""},
		{"2026-11-29T13:00:00+01:00", "", "2026-11-29T12:00:00Z", ""},
		{"2026-11-29T13:00Z", "2026-11-29T13:30+00:30", "2026-11-29T13:00:00Z", "2026-11-29T13:00:00Z"},
		{"2026-11-29", "2026-11-29T13:50", "2026-11-29T00:00:00Z", "2026-11-29T13:50:00Z"},
		{"2026-11-29 13:50:00", "2026-11-29 13:50:00.5", "2026-11-29T13:50:00Z", "2026-11-29T13:50:00.5Z"},
		{"2026-11-29 13:50", "2026-11-29 13:50:00Z", "2026-11-29T13:50:00Z", "2026-11-29T13:50:00Z"},
		{"2h", "30m", "2026-11-29T12:00:00Z", "2026-11-29T13:30:00Z"},
		{"-2h", "-30m", "2026-11-29T12:00:00Z", "2026-11-29T13:30:00Z"},
		{"", "-1m30s", "", "2026-11-29T13:58:30Z"},
		{"-0s", "", "2026-11-29T14:00:00Z", ""},
		{"1d", "", "2026-11-28T14:00:00Z", ""},
		{"13:50", "13:55:30", "2026-11-29T13:50:00Z", "2026-11-29T13:55:30Z"},
		{"14:00", "", "2026-11-29T14:00:00Z", ""},
		{"14:01", "", "2026-11-29T14:01:00Z", ""}, // past the end, and not long before the log begins
		{"21:59", "", "2026-11-28T21:59:00Z", ""},
		{"", "21:59", "", "2026-11-28T21:59:00Z"}, // before it begins
		{"14:01", "14:02", "2026-11-29T14:01:00Z", "2026-11-29T14:02:00Z"},
		{"2026-11-01", "13:50", "2026-11-01T00:00:00Z", "2026-11-29T13:50:00Z"},
		{"23:50", "00:10", "2026-11-28T23:50:00Z", "2026-11-29T00:10:00Z"},
		{"13:50", "14:30", "2026-11-29T13:50:00Z", "2026-11-29T14:30:00Z"},
		{"", "23:50", "", "2026-11-28T23:50:00Z"},
		{"", "14:30", "", "2026-11-29T14:30:00Z"}, // the log had not begun at that of the day before
		{"00:30+02:00", "00:30Z", "2026-11-28T22:30:00Z", "2026-11-29T00:30:00Z"},
	} {
		got, err := newWindow(c.since, c.until, log)
		if want := (window{at(t, c.from), at(t, c.to)}); err != nil || got != want {
			t.Errorf("--since %q --until %q: got %v, %v; want %v", c.since, c.until, got, err, want)
		}
	}
}

func TestAReversedWindowOfTimesOfDayIsRefused(t *testing.T) {
	log := logOf(t, "2026-11-29T13:45:00Z", "2026-11-29T13:55:00Z")
	for _, c := range [][2]string{
		{"13:52", "13:51"},
		{"13:58", "13:51"},
		{"13:52", "13:40"},
		{"2026-11-29T13:52", "13:51"},
		{"3m", "13:51"},
	} {
		if got, err := newWindow(c[0], c[1], log); err == nil || exitStatus(err) != exitUsage {
			t.Errorf("--since %s --until %s: got %v, %v; want a usage error", c[0], c[1], got, err)
		}
	}
	// In a log that goes past midnight, the day after is meant.
	log = logOf(t, "2026-11-28T13:00:00Z", "2026-11-28T23:58:00Z")
	want := window{at(t, "2026-11-28T23:50:00Z"), at(t, "2026-11-29T00:10:00Z")}
	if got, err := newWindow("23:50", "00:10", log); err != nil || got != want {
		t.Errorf("--since 23:50 --until 00:10: got %v, %v; want %v", got, err, want)
	}
	// A log of days has yesterday's 14:30, too.
	log = logOf(t, "2026-11-26T13:00:00Z", "2026-11-29T14:00:00Z")
	want = window{at(t, "2026-11-29T13:50:00Z"), at(t, "2026-11-29T14:30:00Z")}
	if got, err := newWindow("13:50", "14:30", log); err != nil || got != want {
		t.Errorf("--since 13:50 --until 14:30: got %v, %v; want %v", got, err, want)
	}
}

func TestTheEpochIsATimeAndNotTheLogsEnd(t *testing.T) {
	got, err := newWindow("1970-01-01T00:00:00Z", "", unknown("the end was asked for"))
	if err != nil || got != (window{since: 1}) {
		t.Errorf("got %v, %v; want a window that begins a microsecond later", got, err)
	}
}

func TestWindowRefusesWhatIsNoTime(t *testing.T) {
	log := unknown("the end is not known")
	const noTime = "it must be a time such as 2026-11-29T13:45:00Z, 2026-11-29T13:45 or 13:45, or 2h to count back from the log's end"
	for since, want := range map[string]string{
		"yesterday":  "--since yesterday: " + noTime,
		"25:50":      "--since 25:50: " + noTime,
		"1.5d":       "--since 1.5d: " + noTime,
		"13:50":      "--since 13:50: the end is not known",
		"+2h":        "--since +2h: " + noTime,
		"2026-11-31": "--since 2026-11-31: " + noTime,
		"--2h":       "--since --2h: it must be a duration such as 2h or 90m",
		"--2d":       "--since --2d: it must be a duration such as 2h or 90m",
		"-2h":        "--since -2h: the end is not known",
		"2h":         "--since 2h: the end is not known",
	} {
		if _, err := newWindow(since, "", log); err == nil || err.Error() != want || exitStatus(err) != exitUsage {
			t.Errorf("--since %s: got %v, want %s", since, err, want)
		}
	}
	if _, err := newWindow("2026-11-29T13:00:00Z", "2026-11-29T12:00:00Z", log); err == nil {
		t.Error("a window ends before it begins")
	}
}

func TestAroundIsAWindowOnBothSides(t *testing.T) {
	log := logOf(t, "2026-11-29T13:00:00Z", "2026-11-29T14:00:00Z")
	for around, want := range map[string]window{
		"2026-11-29T13:00:00Z": {at(t, "2026-11-29T12:58:00Z"), at(t, "2026-11-29T13:02:00Z")},
		"-1h":                  {at(t, "2026-11-29T12:58:00Z"), at(t, "2026-11-29T13:02:00Z")},
		"13:00":                {at(t, "2026-11-29T12:58:00Z"), at(t, "2026-11-29T13:02:00Z")},
		"14:02":                {at(t, "2026-11-29T14:00:00Z"), at(t, "2026-11-29T14:04:00Z")},
	} {
		if got, err := newAround(around, 2*time.Minute, log); err != nil || got != want {
			t.Errorf("--around %s: got %v, %v; want %v", around, got, err, want)
		}
	}
	_, err := newAround("noon", time.Minute, log)
	if err == nil || !strings.HasPrefix(err.Error(), "--around noon: it must be a time") {
		t.Errorf("--around noon: got %v", err)
	}
}

// logOf is a log that begins and ends then.
func logOf(t *testing.T, begin, end string) logSpan {
	return logSpan{
		begin: func() (audit.Time, error) { return at(t, begin), nil },
		end:   func() (audit.Time, error) { return at(t, end), nil },
	}
}

// unknown is a log that does not tell its end.
func unknown(why string) logSpan {
	return logSpan{end: func() (audit.Time, error) { return 0, errors.New(why) }}
}

func at(t *testing.T, text string) audit.Time {
	t.Helper()
	var when audit.Time
	if text == "" {
		return 0
	}
	if err := when.UnmarshalJSON([]byte(`"` + text + `"`)); err != nil {
		t.Fatal(err)
	}
	return when
}
