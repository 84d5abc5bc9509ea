package audit

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestTheLatestTimeIsNoneOfAWrongClock(t *testing.T) {
	day := 24 * time.Hour
	begin := TimeOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		name   string
		at     string // from the begin
		latest time.Duration
	}{
		{"none", "", 0},
		{"one", "0s", 0},
		{"a log", "0s 1s 10m", 10 * time.Minute},
		{"and an event five years ahead", "0s 1s 10m 43800h", 10 * time.Minute},
		{"and several", "0s 1s 10m 43800h 43800h1s 90000h", 10 * time.Minute},
		{"and one five years behind", "-43800h 0s 1s 10m", 10 * time.Minute},
		{"and a log of a later year", "0s 1s 10m 43800h 43801h", 43801 * time.Hour},
		{"and one an hour later", "0s 1s 10m 70m", 70 * time.Minute},
		{"an excerpt of a month and one day", "0s 240h 480h 720h 744h", 31 * day},
		{"two moments", "0s 1s 43800h", 43800 * time.Hour},
	} {
		var times []Time
		for at := range strings.FieldsSeq(c.at) {
			d, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, begin.Add(d))
		}
		rand.Shuffle(len(times), func(i, j int) { times[i], times[j] = times[j], times[i] })
		want := begin.Add(c.latest)
		if c.at == "" {
			want = 0
		}
		if got := Latest(times); got != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}
