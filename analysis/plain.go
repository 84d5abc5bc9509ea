package analysis

import (
	"strconv"
	"strings"
	"unicode"
)

// Plain makes text from a log fit for a title, which is one line: what can't be
// printed becomes one of Go's escapes.
func Plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
