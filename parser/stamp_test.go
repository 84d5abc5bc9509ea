package parser

import "testing"

func TestAStampEndsWhereItsShapeEnds(t *testing.T) {
	for _, c := range []struct{ text, rest string }{
		{"2026-11-29T13:50:00Z x", " x"},
		{"2026-11-29 13:50:00 x", " x"},
		{"2026-11-29T13:50:00.123456789+01:00 x", " x"},
		{"2026-11-29T13:50:00,123 x", " x"},
		{"9999-99-99T99:99:99", ""},
	} {
		if n := stampEnd([]byte(c.text)); n == 0 || c.text[n:] != c.rest {
			t.Errorf("%q: it ends at %d, want %q behind it", c.text, n, c.rest)
		}
	}
	const stamp = "2026-11-29T13:50:00"
	for i := range stamp {
		for _, other := range []byte{'/', ':', '-', 'T' + 1, 0x80 | stamp[i], 0} {
			text := stamp[:i] + string([]byte{other}) + stamp[i+1:]
			if n := stampEnd([]byte(text)); text != stamp && n != 0 {
				t.Errorf("%q: it ends at %d, want none", text, n)
			}
		}
	}
	if n := stampEnd([]byte(stamp[:len(stamp)-1])); n != 0 {
		t.Errorf("a shorter one ends at %d", n)
	}
}
