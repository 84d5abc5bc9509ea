package main

import (
	"errors"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestWindow(t *testing.T) {
	end := func() (audit.Time, error) { return at(t, "2026-11-29T14:00:00Z"), nil }
	for _, c := range []struct{ since, until, from, to string }{
		{"2026-11-29T13:00:00Z", "", "2026-11-29T13:00:00Z", ""},
		{"2026-11-29T13:00:00+01:00", "", "2026-11-29T12:00:00Z", ""},
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
	if err != nil || !got.holds(at(t, "2026-11-29T13:00:00Z")) || got.holds(at(t, "1969-12-31T23:59:59Z")) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWindowRefusesWhatIsNoTime(t *testing.T) {
	unknown := func() (audit.Time, error) { return 0, errors.New("the end is not known") }
	for since, want := range map[string]string{
		"yesterday":  "--since yesterday: it must be a time such as 2026-11-29T13:45:00Z, or -2h to count back from the log's end",
		"--2h":       "--since --2h: it must be a duration such as -2h or -90m",
		"-2d":        "--since -2d: it must be a duration such as -2h or -90m",
		"2026-11-29": "--since 2026-11-29: it must be a time such as 2026-11-29T13:45:00Z, or -2h to count back from the log's end",
		"-2h":        "--since -2h: the end is not known",
	} {
		if _, err := newWindow(since, "", unknown); err == nil || err.Error() != want || exitStatus(err) != exitUsage {
			t.Errorf("--since %s: got %v, want %s", since, err, want)
		}
	}
	if _, err := newWindow("2026-11-29T13:00:00Z", "2026-11-29T12:00:00Z", unknown); err == nil {
		t.Error("a window ends before it begins")
	}
}

func TestBothEndsOfAWindowAreInIt(t *testing.T) {
	w := window{10, 20}
	for time, want := range map[audit.Time]bool{9: false, 10: true, 15: true, 20: true, 21: false} {
		if w.holds(time) != want {
			t.Errorf("%d: in the window %t, want %t", time, !want, want)
		}
	}
	if !(window{}).holds(1) {
		t.Error("an open window leaves something out")
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
