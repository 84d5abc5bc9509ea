package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many bytes of one text are shown. The API server cuts user agents
// at 1024 bytes, but names of files and forged logs have no limit.
const maxText = 600

// maxProse is the same for sentences of kaudit's own that contain text from a log.
const maxProse = 4000

// Clean makes text from a log harmless for a terminal. What is not printable becomes
// an escape (\n, \x1b, \u202e): control characters, and with them every terminal
// sequence, characters that change the direction of text or have no width, blanks
// other than the space, and invalid UTF-8. Very long text is cut in the middle.
//
// A backslash stays as it is, so the result can't be converted back: it is for
// reading, and JSON is exact.
func Clean(s string) string { return clean(s, maxText) }

// prose cleans sentences of kaudit's own that contain text from a log.
func prose(s string) string { return clean(s, maxProse) }

func clean(s string, most int) string {
	if len(s) <= most && isClean(s) {
		return s
	}
	var b strings.Builder
	if len(s) <= most {
		cleanTo(&b, s)
		return b.String()
	}
	head, tail := s[:runeStart(s, most*2/3)], s[runeStart(s, len(s)-most/3):]
	cleanTo(&b, head)
	fmt.Fprintf(&b, "...[%d bytes left out]...", len(s)-len(head)-len(tail))
	cleanTo(&b, tail)
	return b.String()
}

func isClean(s string) bool {
	for _, r := range s {
		if !printable(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// runeStart returns where the rune that i lies in begins, or i if there is none.
func runeStart(s string, i int) int {
	for start := i; start > 0 && i-start < utf8.UTFMax; start-- {
		if utf8.RuneStart(s[start]) {
			return start
		}
	}
	return i
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

// printable reports whether r is visible or a space. Some runes that Unicode counts
// as letters or marks are not: fillers and variation selectors.
func printable(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
