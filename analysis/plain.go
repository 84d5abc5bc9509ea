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

// PlainAll returns each of the texts as Plain writes it, in a slice of its own that is
// never nil.
func PlainAll(texts []string) []string {
	plain := make([]string, len(texts))
	for i, text := range texts {
		plain[i] = Plain(text)
	}
	return plain
}
