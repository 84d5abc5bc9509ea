package parser

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote appends what the JSON string stands for whose first character is at
// i, and returns the index after its closing quote, or -1 if it has none or
// holds what no JSON string may. It is the inner loop of every carrier that
// has events as strings: half of their bytes are next to a backslash.
func unquote(dst, b []byte, i int) ([]byte, int) {
	for {
		for len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			dst = append(dst, b[i:i+8]...)
			found := ((w ^ quotes - each01) | (w ^ slants - each01) | (w - each20)) &^ w & each80
			if found == 0 {
				i += 8
				continue
			}
			n := bits.TrailingZeros64(found) >> 3
			dst = dst[:len(dst)-8+n]
			i += n
			break
		}
		for len(b)-i < 8 && i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			dst = append(dst, b[i])
			i++
		}
		if i >= len(b) {
			return dst, -1
		}
		switch c := b[i]; {
		case c == '"':
			return dst, i + 1
		case c != '\\' || i+1 >= len(b):
			return dst, -1
		case plainEscape[b[i+1]] != 0:
			dst = append(dst, plainEscape[b[i+1]])
			i += 2
		default:
			if dst, i = unquoteRune(dst, b, i); i < 0 {
				return dst, -1
			}
		}
	}
}

// unquoteRune reads \uXXXX at i, or two of them that are one character.
func unquoteRune(dst, b []byte, i int) ([]byte, int) {
	r, ok := escapedRune(b, i)
	if !ok {
		return dst, -1
	}
	i += 6
	if utf16.IsSurrogate(r) {
		second, _ := escapedRune(b, i)
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			i += 6
		}
	}
	return utf8.AppendRune(dst, r), i
}

func escapedRune(b []byte, i int) (rune, bool) {
	if len(b)-i < 6 || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	return hex4(b[i+2 : i+6])
}

// undouble appends what the field of a CSV stands for whose first character,
// behind its quote, is at i: a quote in it is written twice. It returns the
// index after its closing quote, or of the end.
func undouble(dst, b []byte, i int) ([]byte, int) {
	for i < len(b) {
		if b[i] == '"' {
			if i+1 >= len(b) || b[i+1] != '"' {
				return dst, i + 1
			}
			i++
		}
		dst = append(dst, b[i])
		i++
	}
	return dst, i
}
