package analysis

import (
	"fmt"
	"strings"
	"time"
)

// Times says how often something happened: "once", or "7 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Counted writes a number of things, "1 request" or "7 requests", whose plural ends in s.
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Short writes a duration as precisely as a title needs it: in whole seconds from ten on,
// in tenths of a second from one on, and below that in milliseconds.
func Short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// Seconds returns a duration as Details hold it: in seconds, to the millisecond.
func Seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// FirstOf lists the first names, at most so many, and how many more there are: "a, b and
// 3 more".
func FirstOf(most int, names []string) string {
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Named lists names in a sentence: the first few, and how many more there are, "a, b, c and
// 3 more".
func Named(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return FirstOf(most, names)
	}
	return And(names)
}

// And joins parts as in a sentence: "a, b and c".
func And(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
