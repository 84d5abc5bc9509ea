package audit

import (
	"crypto/sha256"
	"fmt"
	"unicode/utf8"
)

// MaxText is how long a name, an agent, an address or an ID of an event may be,
// in bytes, to be kept as it is. Kubernetes' own names have 253 at most; but a
// client sends what it likes, up to the megabyte that Go's HTTP server takes as
// headers, and what tells one client from another must be remembered.
const MaxText = 1 << 10

// Bound returns s, or what stands for it if it is longer than MaxText: how it
// begins, and in brackets its length and a hash of the whole. What stands for
// two texts is equal exactly when they are, in every run, and no longer than
// MaxText.
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
