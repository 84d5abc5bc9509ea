package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// second returns t in RFC 3339, to the second.
func second(t audit.Time) string { return t.Std().Format(time.RFC3339) }

// duration returns d with about three digits, in the units that people use.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch a := d.Abs(); {
	case a >= 2*365*day:
		return fmt.Sprintf("%.1f years", d.Hours()/24/365.25)
	case a >= 60*day:
		return fmt.Sprintf("%d days", d.Round(day)/day)
	case a >= 2*day:
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd%dh", d/day, (d%day).Abs()/time.Hour)
	case a < time.Millisecond:
		return d.String()
	case a < time.Second:
		return d.Round(time.Millisecond).String()
	case a < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// size returns n bytes in the unit that gives one to three digits.
func size(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return analysis.Counted(n, "byte")
	}
	f := float64(n)
	for _, unit := range units {
		if f /= 1000; f < 1000 || unit == "TB" {
			return fmt.Sprintf("%.3g %s", f, unit)
		}
	}
	return ""
}

// number returns n with a thin space between thousands.
func number(n int64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && d != '-' && digits[i-1] != '-' {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return b.String()
}
