package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellWord returns s as one word of a shell, quoted if need be. If s has
// characters that must not reach a terminal, it is quoted as $'...', with
// escapes for these.
func ShellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	if !isClean(s) {
		return ansiWord(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ansiWord quotes s as $'...', which bash, zsh and ksh know. It writes bytes as three
// octal digits, the only form that a following digit can't become a part of.
func ansiWord(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString("\\" + s[:size])
		case printable(r) && r != utf8.RuneError:
			b.WriteString(s[:size])
		default:
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		s = s[size:]
	}
	return b.String() + "'"
}
