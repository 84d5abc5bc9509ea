package analysis

import (
	"fmt"
	"strings"
)

// Times says how often something happened: "once", or "7 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// FirstOf lists the first names, at most so many, and how many more there are: "a, b and
// 3 more".
func FirstOf(most int, names []string) string {
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
