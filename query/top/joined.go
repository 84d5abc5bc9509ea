package top

import (
	"bytes"
	"strings"
)

// The values of a row's keys are held as one text. A value may hold any
// character, NUL too: whoever reaches the API server chooses names.
const (
	between = 0x00 // stands between two values
	escape  = 0x01 // stands, with the byte that follows, for one of the two in a value
)

var (
	escaper   = strings.NewReplacer("\x00", "\x01\x02", "\x01", "\x01\x03")
	unescaper = strings.NewReplacer("\x01\x02", "\x00", "\x01\x03", "\x01")
)

// escaped returns joined with its last value, which begins at start, escaped.
// Hardly any value needs that.
func escaped(joined []byte, start int) []byte {
	value := joined[start:]
	if bytes.IndexByte(value, between) < 0 && bytes.IndexByte(value, escape) < 0 {
		return joined
	}
	return append(joined[:start], escaper.Replace(string(value))...)
}

// separate returns the values of a joined text.
func separate(joined string) []string {
	values := strings.Split(joined, string(rune(between)))
	if strings.IndexByte(joined, escape) >= 0 {
		for i := range values {
			values[i] = unescaper.Replace(values[i])
		}
	}
	return values
}
