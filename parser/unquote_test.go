package parser

import (
	"encoding/json"
	"math/rand/v2"
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
	// What is special, alone and side by side, stands at any place of a block.
	for n := range 66 {
		for _, special := range []string{`\"`, `\\`, `\\\"`, `\":\"`, `\",\"`, `\"x\"`, `\n`, `\u2028`, `\ud83d\ude00`, `\x`, `\u20`, `\`, `"`, `"#`, `\]`, "\x1f ", "é"} {
			f.Add(strings.Repeat("a", n) + special + "bcdefghijklmnopq")
			f.Add(strings.Repeat("a", n) + special + strings.Repeat(`b\"`, 40))
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
		checkPressers(t, []byte(text))
	})
}

// checkPressers holds all that take off escapes by blocks equal to byte by byte.
func checkPressers(t *testing.T, text []byte) {
	t.Helper()
	want, wantEnd := unquotedRest(nil, text, 0)
	for _, p := range pressers {
		got, end := p.unquoted([]byte("before"), text, 0)
		if end != wantEnd || end >= 0 && string(got) != "before"+string(want) {
			t.Fatalf("%s: %q: got %q to %d, want %q to %d", p, text, got, end, want, wantEnd)
		}
		if read, wrote := p.press(make([]byte, len(text)), text); read > len(text) || wrote > read {
			t.Fatalf("%s: %q: read %d, wrote %d", p, text, read, wrote)
		}
	}
}

// TestBlocksAreReadAsBytesAre takes off escapes in all ways that the processor
// has: of texts that are dense with what is special.
func TestBlocksAreReadAsBytesAre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`\"`, `\"`, `\\`, `\\\"`, `\":\"`, "a", "b", "{", "é", "abcdefghijklmnop", strings.Repeat("x", 60)}
	odd := []string{`\n`, `\u2028`, `\`, `"`, "\n", "\x00", `\x`, "\x80"}
	for n := range 20_000 {
		var text []byte
		for length := random.IntN(300); len(text) < length; {
			piece := pieces[random.IntN(len(pieces))]
			if n%4 > 0 && random.IntN(30*(n%4)) == 0 {
				piece = odd[random.IntN(len(odd))]
			}
			text = append(text, piece...)
		}
		checkPressers(t, text)
	}
}

// BenchmarkUnquote takes off the escapes of events as Docker writes them, in
// all ways that the processor has.
func BenchmarkUnquote(b *testing.B) {
	lines, _ := clusterLines(false, 4<<20)
	var texts [][]byte
	for _, line := range lines {
		texts = append(texts, []byte(quoted(string(line) + "\n")[1:]+`,"stream":"stdout","time":"2026-11-29T13:45:34.206123456Z"}`))
	}
	for _, p := range pressers {
		b.Run(string(p), func(b *testing.B) {
			var room []byte
			for b.Loop() {
				for _, text := range texts {
					room, _ = p.unquoted(room[:0], text, 0)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(texts)), "ns/event")
		})
	}
}
