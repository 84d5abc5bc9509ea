package parser

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote appends what the JSON string stands for whose first character is at
// i, and returns the index after its closing quote, or -1 if it has none or
// holds what no JSON string may.
func unquote(dst, b []byte, i int) ([]byte, int) {
	dst, i = unquoted(dst, b, i)
	if i < 0 || i >= len(b) {
		return dst, -1
	}
	return dst, i + 1
}

// unescape appends what the text of a JSON string stands for, given without
// its quotes. It reports false if that is no text of one.
func unescape(dst, s []byte) ([]byte, bool) {
	dst, end := unquoted(dst, s, 0)
	return dst, end == len(s)
}

// A presser is a way to take escapes off by blocks, if the processor has one.
type presser string

const noPresser presser = "bytes"

// unquoted does what unquote does, up to a quote or the end of b, and returns
// where that stands. It is the inner loop of every carrier that has events as
// strings, where every ninth byte is a backslash: before a quote, and mostly
// there is a second one behind a colon or a comma.
func unquoted(dst, b []byte, i int) ([]byte, int) {
	return pressers[len(pressers)-1].unquoted(dst, b, i)
}

// unquoted does it by blocks as far as p can, and goes on from backslash to
// backslash.
//
// Note: without blocks it is the number of instructions that counts, not the
// waiting. To read four parts of the text by turns, to press eight bytes
// together, with branches or without, and to find all backslashes of 64 bytes
// first are no faster.
func (p presser) unquoted(dst, b []byte, i int) ([]byte, int) {
	const escaped, pair = '\\' | '"'<<8, 0xffff_00_ffff
	o := len(dst)
	if room := len(b) - i + 8; cap(dst)-o < room {
		dst = append(make([]byte, 0, 2*cap(dst)+room), dst...)
	}
	out := dst[:cap(dst)]
	read, wrote := p.press(out[o:], b[i:])
	i, o = i+read, o+wrote
	for len(b)-i >= 16 {
		w := binary.LittleEndian.Uint64(b[i:])
		binary.LittleEndian.PutUint64(out[o:], w)
		found := ((w ^ quotes - each01) | (w ^ slants - each01) | (w - each20)) &^ w & each80
		if found == 0 {
			i, o = i+8, o+8
			continue
		}
		n := bits.TrailingZeros64(found) >> 3
		i, o = i+n, o+n
		w = binary.LittleEndian.Uint64(b[i:])
		switch c := byte(w >> 16); {
		case w&pair == escaped|escaped<<24 && (c == ':' || c == ','):
			binary.LittleEndian.PutUint32(out[o:], '"'|uint32(c)<<8|'"'<<16)
			i, o = i+5, o+3
		case w&0xffff == escaped:
			out[o] = '"'
			i, o = i+2, o+1
		case w&0xff == '"':
			return out[:o], i
		default:
			r, next := unquotedOne(out[:o], b, i)
			if next < 0 {
				return r, -1
			}
			read, wrote = p.press(out[len(r):], b[next:])
			i, o = next+read, len(r)+wrote
		}
	}
	return unquotedRest(out[:o], b, i)
}

// unquotedRest does the same byte by byte.
func unquotedRest(dst, b []byte, i int) ([]byte, int) {
	for i >= 0 && i < len(b) && b[i] != '"' {
		dst, i = unquotedOne(dst, b, i)
	}
	return dst, i
}

// unquotedOne appends the character at i, which is no quote.
func unquotedOne(dst, b []byte, i int) ([]byte, int) {
	switch {
	case b[i] < ' ':
		return dst, -1
	case b[i] != '\\':
		return append(dst, b[i]), i + 1
	case i+1 < len(b) && plainEscape[b[i+1]] != 0:
		return append(dst, plainEscape[b[i+1]]), i + 2
	}
	return unquoteRune(dst, b, i)
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
