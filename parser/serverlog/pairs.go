package serverlog

import (
	"bytes"
	"strconv"
)

// nextPair splits the first key="value" off a text. Values are quoted as Go
// quotes them, or bare to the next space. A value that runs over several
// lines begins with "<" at the end of its line; what stands there is of lines
// that follow, and the value is empty.
func nextPair(text []byte) (key, value, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " ")
	eq := bytes.IndexByte(text, '=')
	if eq <= 0 || bytes.IndexByte(text[:eq], ' ') >= 0 {
		return nil, nil, nil, false
	}
	key, text = text[:eq], text[eq+1:]
	if len(text) > 0 && text[0] == '"' {
		value, rest, ok = unquote(text)
		return key, value, rest, ok
	}
	value, rest, _ = bytes.Cut(text, []byte(" "))
	if len(value) == 1 && value[0] == '<' {
		value = nil
	}
	return key, value, rest, true
}

// unquote splits a quoted text off the beginning of text. What has no escapes
// is not copied.
func unquote(text []byte) (value, rest []byte, ok bool) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			value, rest = text[1:i], text[i+1:]
			if bytes.IndexByte(value, '\\') < 0 {
				return value, rest, true
			}
			plain, err := strconv.Unquote(string(text[:i+1]))
			return []byte(plain), rest, err == nil
		}
	}
	return nil, nil, false
}

// structured splits a structured line of klog, which begins with its quoted
// message.
func structured(text []byte) (message, pairs []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return nil, nil, false
	}
	return unquote(text)
}
