package audit

import (
	"crypto/sha256"
	"fmt"
	"unicode/utf8"
)

// MaxText is the length in bytes up to which a name, user agent, address or ID
// of an event is kept as it is. Kubernetes' own names have at most 253, but a
// client may send up to the megabyte of headers that Go's HTTP server accepts,
// and states must remember what tells clients apart.
const MaxText = 1 << 10

// Bound returns s if it is no longer than MaxText. Otherwise it returns a
// substitute of at most MaxText bytes: the beginning of s, and in brackets its
// length and a hash. In every run, two substitutes are equal exactly if their
// texts are.
func Bound[T ~string | ~[]byte](s T) T {
	if len(s) <= MaxText {
		return s
	}
	return shorten(s)
}

func shorten[T ~string | ~[]byte](s T) T {
	mark := fmt.Sprintf("…[%d bytes, sha256 %.16x]", len(s), sha256.Sum256([]byte(s)))
	end := MaxText - len(mark)
	for back := 0; back < utf8.UTFMax-1 && !utf8.RuneStart(s[end]); back++ {
		end-- // to the beginning of a character
	}
	return T(string(s[:end]) + mark)
}
