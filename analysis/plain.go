package analysis

import (
	"strconv"
	"strings"
	"unicode"
)

// Plain returns text from a log as it may stand in a title, which is one line:
// what can't be printed is written as Go escapes it.
func Plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
