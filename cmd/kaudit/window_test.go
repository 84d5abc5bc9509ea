package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

func TestWindow(t *testing.T) {
	end := func() (audit.Time, error) { return at(t, "2026-11-29T14:00:00Z"), nil }
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
	} {
		got, err := newWindow(c.since, c.until, end)
		if want := (window{at(t, c.from), at(t, c.to)}); err != nil || got != want {
			t.Errorf("--since %q --until %q: got %v, %v; want %v", c.since, c.until, got, err, want)
		}
	}
}

func TestTheEpochIsATimeAndNotTheLogsEnd(t *testing.T) {
	end := func() (audit.Time, error) { return 0, errors.New("the end was asked for") }
	got, err := newWindow("1970-01-01T00:00:00Z", "", end)
	if err != nil || got != (window{since: 1}) {
		t.Errorf("got %v, %v; want a window that begins a microsecond later", got, err)
	}
}

func TestWindowRefusesWhatIsNoTime(t *testing.T) {
	unknown := func() (audit.Time, error) { return 0, errors.New("the end is not known") }
	const noTime = "it must be a time such as 2026-11-29T13:45:00Z or 2026-11-29T13:45, or 2h to count back from the log's end"
	for since, want := range map[string]string{
		"yesterday":  "--since yesterday: " + noTime,
		"13:50":      "--since 13:50: " + noTime,
		"2d":         "--since 2d: " + noTime,
		"+2h":        "--since +2h: " + noTime,
		"2026-11-31": "--since 2026-11-31: " + noTime,
		"--2h":       "--since --2h: it must be a duration such as 2h or 90m",
		"-2d":        "--since -2d: it must be a duration such as 2h or 90m",
		"-2h":        "--since -2h: the end is not known",
		"2h":         "--since 2h: the end is not known",
	} {
		if _, err := newWindow(since, "", unknown); err == nil || err.Error() != want || exitStatus(err) != exitUsage {
			t.Errorf("--since %s: got %v, want %s", since, err, want)
		}
	}
	if _, err := newWindow("2026-11-29T13:00:00Z", "2026-11-29T12:00:00Z", unknown); err == nil {
		t.Error("a window ends before it begins")
	}
}

func TestAroundIsAWindowOnBothSides(t *testing.T) {
	end := func() (audit.Time, error) { return at(t, "2026-11-29T14:00:00Z"), nil }
	for around, want := range map[string]window{
		"2026-11-29T13:00:00Z": {at(t, "2026-11-29T12:58:00Z"), at(t, "2026-11-29T13:02:00Z")},
		"-1h":                  {at(t, "2026-11-29T12:58:00Z"), at(t, "2026-11-29T13:02:00Z")},
	} {
		if got, err := newAround(around, 2*time.Minute, end); err != nil || got != want {
			t.Errorf("--around %s: got %v, %v; want %v", around, got, err, want)
		}
	}
	_, err := newAround("noon", time.Minute, end)
	if err == nil || !strings.HasPrefix(err.Error(), "--around noon: it must be a time") {
		t.Errorf("--around noon: got %v", err)
	}
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
