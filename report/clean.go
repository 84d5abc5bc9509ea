package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many bytes of one text are shown. The API server cuts user
// agents at 1024; names of files, and a log that somebody made up, know no
// limit.
const maxText = 600

// Clean makes text from a log harmless for a terminal. What is not printable
// is shown as an escape (\n, \x1b, \u202e): control characters and with them
// every terminal sequence, what turns text around or has no width, blanks that
// are no space, invalid UTF-8. Very long text is cut in the middle.
//
// A backslash stays as it is: Clean is for eyes. JSON is exact.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	cleanTo(&b, head(s))
	if len(s) > maxText {
		fmt.Fprintf(&b, "...[%d bytes left out]...", len(s)-len(head(s))-len(tail(s)))
		cleanTo(&b, tail(s))
	}
	return b.String()
}

func isClean(s string) bool {
	if len(s) > maxText {
		return false
	}
	for _, r := range s {
		if !printable(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// head and tail return what is shown of a text, whole runes: all of it, or the
// part before and after the cut.
func head(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := maxText * 2 / 3
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

func tail(s string) string {
	start := len(s) - maxText/3
	for start < len(s) && !utf8.RuneStart(s[start]) {
		start++
	}
	return s[start:]
}

func cleanTo(b *strings.Builder, s string) {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case printable(r):
			b.WriteString(s[:size])
		case r < 0x100:
			fmt.Fprintf(b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
		s = s[size:]
	}
}

// printable reports whether r has a picture of its own. Unicode counts some
// fillers as letters and selectors of variants as marks, which have none.
func printable(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
