package parser

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep skip follows nesting: a bit a level. Deeper objects
// are reference's.
const maxDepth = 63

// skip reads the JSON value at i and checks its grammar, but looks at nothing
// in it: most bytes of a log with bodies pass through here. Text that is not
// UTF-8 is none of its business, as it is none of Kubernetes'.
func skip(b []byte, i int) int {
	objects := uint64(1) // a bit for each bracket open: 1 is an object
	for {
		// A value, or the end of what was opened just now.
		if i = space(b, i); i >= len(b) {
			return -1
		}
		switch c := b[i]; c {
		case '"':
			if i = skipString(b, i+1); i < 0 {
				return -1
			}
		case '{', '[':
			closing := c + 2 // in ASCII, both
			if i = space(b, i+1); i < len(b) && b[i] == closing {
				i++
				break
			}
			if objects>>maxDepth != 0 {
				return -1
			}
			objects <<= 1
			if c == '{' {
				objects |= 1
				if i = skipKey(b, i); i < 0 {
					return -1
				}
			}
			continue
		default:
			if i = skipScalar(b, i); i < 0 {
				return -1
			}
		}
		// After a value: close what ends, then go to the next member.
		for {
			if objects == 1 {
				return i
			}
			if i = space(b, i); i >= len(b) {
				return -1
			}
			inObject := objects&1 != 0
			c := b[i]
			i++
			if c == ',' {
				if inObject {
					if i = skipKey(b, space(b, i)); i < 0 {
						return -1
					}
				}
				break
			}
			if c != ']' && c != '}' || inObject != (c == '}') {
				return -1
			}
			objects >>= 1
		}
	}
}

// skipKey reads the key at i and its colon.
func skipKey(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = skipString(b, i+1); i < 0 {
		return -1
	}
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// skipString reads the rest of a string, from i on.
func skipString(b []byte, i int) int {
	for {
		for len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			if found := ((w ^ quotes - each01) | (w ^ slants - each01) | (w - each20)) &^ w & each80; found != 0 {
				i += bits.TrailingZeros64(found) >> 3
				goto special
			}
			i += 8
		}
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			i++
		}
		if i >= len(b) {
			return -1
		}
	special:
		if b[i] == '"' {
			return i + 1
		}
		if b[i] != '\\' || len(b)-i < 2 {
			return -1
		}
		switch {
		case b[i+1] == '"':
			i = skipEscaped(b, i)
		case plainEscape[b[i+1]] != 0:
			i += 2
		case b[i+1] == 'u' && len(b)-i >= 6:
			if _, ok := hex4(b[i+2 : i+6]); !ok {
				return -1
			}
			i += 6
		default:
			return -1
		}
	}
}

// skipEscaped passes over text from the backslash at i on as long as, eight
// bytes at a time, backslashes stand before all quotes and before nothing else:
// so they do in JSON that is the text of JSON.
func skipEscaped(b []byte, i int) int {
	i += 2
	escaped := uint64(0) // the bit of the first byte, if a backslash stands before it
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		ascii := ^w & each80
		slant := (w ^ slants - each01) & ascii
		quote := (w ^ quotes - each01) & ascii
		if (slant<<8|escaped)^quote|(w-each20)&ascii != 0 {
			break
		}
		escaped = slant >> 56
		i += 8
	}
	return i - int(escaped>>7)
}

// skipScalar reads a number, true, false or null.
func skipScalar(b []byte, i int) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if b[i] == word[0] {
			if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
				return -1
			}
			return i + len(word)
		}
	}
	return skipNumber(b, i)
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits reads one digit or more.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
