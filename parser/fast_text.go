package parser

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/kaudit/kaudit/audit"
)

// Eight bytes at once: each constant repeats one byte.
const (
	each01 = 0x0101010101010101
	each20 = 0x2020202020202020
	each80 = 0x8080808080808080
	quotes = 0x2222222222222222
	slants = 0x5c5c5c5c5c5c5c5c
)

// special returns the index of the first byte from i on that needs a look
// inside a string: a quote, a backslash, a control character, or a part of a
// character that is not ASCII; or len(b).
//
// A subtraction below borrows only out of a byte that is itself found, so the
// lowest found byte is the first one.
func special(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if found := ((w ^ quotes - each01) | (w ^ slants - each01) | (w - each20) | w) & each80; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// text reads the string at i, or null, which is no text. The text is a part
// of b, or of f.scratch if it holds escapes.
func (f *fast) text(b []byte, i int) (s []byte, after int) {
	if i = space(b, i); i >= len(b) || b[i] != '"' {
		i, ok := null(b, i)
		if !ok {
			return nil, -1
		}
		return nil, i
	}
	end := special(b, i+1)
	if end < len(b) && b[end] == '"' {
		return b[i+1 : end : end], end + 1
	}
	return f.oddText(b, i+1, end)
}

// oddText reads on in a string that begins at start and has something special
// at i.
func (f *fast) oddText(b []byte, start, i int) (s []byte, after int) {
	from, copied := len(f.scratch), start
	escaped, wide := false, false
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			s = b[start:i:i]
			if escaped {
				f.scratch = append(f.scratch, b[copied:i]...)
				s = f.scratch[from:len(f.scratch):len(f.scratch)]
			}
			if wide && !utf8.Valid(s) {
				return nil, -1
			}
			return s, i + 1
		case c == '\\':
			f.scratch = append(f.scratch, b[copied:i]...)
			if i = f.escape(b, i); i < 0 {
				return nil, -1
			}
			escaped, copied = true, i
		case c >= utf8.RuneSelf:
			wide = true
			i++
		default:
			return nil, -1
		}
		i = special(b, i)
	}
	return nil, -1
}

// escape appends what the escape at i stands for to f.scratch. Surrogates are
// left to reference.
func (f *fast) escape(b []byte, i int) (after int) {
	if len(b)-i >= 6 && b[i+1] == 'u' {
		r, ok := hex4(b[i+2 : i+6])
		if !ok || r >= 0xd800 && r < 0xe000 {
			return -1
		}
		f.scratch = utf8.AppendRune(f.scratch, r)
		return i + 6
	}
	if len(b)-i < 2 || plainEscape[b[i+1]] == 0 {
		return -1
	}
	f.scratch = append(f.scratch, plainEscape[b[i+1]])
	return i + 2
}

var plainEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func hex4(b []byte) (r rune, ok bool) {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// sym reads the string at i as a name.
func (f *fast) sym(b []byte, i int) (audit.Sym, int) {
	if i >= 0 && i < len(b) && b[i] == '"' {
		if end := special(b, i+1); end < len(b) && b[end] == '"' {
			return f.syms.Bytes(b[i+1 : end]), end + 1
		}
	}
	s, i := f.text(b, i)
	return f.syms.Bytes(s), i
}

// symList appends the names of the list at i to list.
func (f *fast) symList(b []byte, i int, list []audit.Sym) ([]audit.Sym, int) {
	if i, ok := null(b, space(b, i)); ok {
		return list, i
	}
	i, empty := enter(b, i, '[', ']')
	for more := !empty; more && i >= 0; {
		var name audit.Sym
		if name, i = f.sym(b, i); i < 0 {
			return list, -1
		}
		list = append(list, name)
		i, more = comma(b, i, ']')
	}
	return list, i
}
