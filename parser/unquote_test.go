package parser

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzUnescape holds the fast ways to take off escapes, and to skip them, equal
// to encoding/json, but for what that replaces: text that is not UTF-8.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{
		"", "a", `a"b`, full, strings.Repeat(`\"`, 300), strings.Repeat("a\n\t\\", 100), strings.Repeat("é\u2028", 200), strings.Repeat("<", 300),
	} {
		f.Add(text)
		f.Add(strings.Trim(quoted(text), `"`))
	}
	// What is special, alone and side by side, stands at any of eight places.
	for n := range 17 {
		for _, special := range []string{`\"`, `\\`, `\\\"`, `\":\"`, `\",\"`, `\"x\"`, `\n`, `\u2028`, `\ud83d\ude00`, `\x`, `\u20`, `\`, `"`, `"#`, `\]`, "\x1f ", "é"} {
			f.Add(strings.Repeat("a", n) + special + "bcdefghijklmnopq")
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := quoted(text)
		var want string
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatal(err)
		}
		for _, room := range []int{0, 1000} {
			got, ok := unescape(make([]byte, 3, 3+room), []byte(s[1:len(s)-1]))
			if !ok || string(got[3:]) != want {
				t.Errorf("%s: got %q, %v, want %q", s, got[3:], ok, want)
			}
		}
		// Whatever stands between quotes: what json takes is taken alike.
		if b := []byte(`"` + text + `"`); json.Valid(b) != (skipString(b, 1) == len(b)) {
			t.Errorf("%s: skipped to %d of %d", b, skipString(b, 1), len(b))
		}
		if err := json.Unmarshal([]byte(`"`+text+`"`), &want); err == nil && strings.ToValidUTF8(text, "") == text {
			if got, ok := unescape(nil, []byte(text)); !ok || string(got) != want {
				t.Errorf("%q: got %q, %v, want %q", text, got, ok, want)
			}
		}
	})
}
