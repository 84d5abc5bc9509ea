package analysis

import (
	"testing"
	"time"
)

func TestAnOptionTakesWhatItCanMean(t *testing.T) {
	rounds := Option{Default: 3, Unit: "rounds"}
	skew := Option{Default: time.Second}
	window := Option{Default: time.Minute, NotZero: true}
	counted := Option{Default: time.Minute, NotZero: true, Least: time.Minute}
	share := Option{Default: 0.1, Unit: "of the requests"}
	times := Option{Default: 2.0, Unit: "timeouts", NotZero: true}
	for _, c := range []struct {
		option Option
		value  string
		want   string // the error
	}{
		{rounds, "1", ""},
		{rounds, "0", "it must be 1 or more rounds"},
		{rounds, "-1", `"-1" is negative, which no threshold can be`},
		{rounds, "1.5", `"1.5" is no whole number`},
		{skew, "0s", ""},
		{skew, "-1s", `"-1s" is negative, which no threshold can be`},
		{skew, "5", `"5" is no duration such as 30s or 5m`},
		{window, "1ns", ""},
		{window, "0s", "it must be above 0"},
		{counted, "60s", ""},
		{counted, "59.9s", "it must be 1m0s or longer"},
		{counted, "0s", "it must be above 0"},
		{share, "0", ""},
		{share, "1", ""},
		{share, "1.5", "it is a share: it must be 1 or less"},
		{share, "NaN", `"NaN" is no number`},
		{times, "1.5", ""},
		{times, "+Inf", `"+Inf" is no number`},
		{times, "0", "it must be above 0"},
	} {
		got := ""
		if _, err := c.option.Parse(c.value); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s for a default of %v: got %q, want %q", c.value, c.option.Default, got, c.want)
		}
	}
}
