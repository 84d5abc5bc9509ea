package top

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValuesOfAnyCharactersAreToldApart(t *testing.T) {
	seen := map[string][]string{}
	for _, values := range [][]string{
		{"alice", "get"},
		{"alice\x00get", ""},
		{"alice", "\x00get"},
		{"\x00", "\x00"},
		{"\x01", "\x02"},
		{"\x01\x02", ""},
		{"\x01", "\x00\x01\x03"},
		{"", ""},
	} {
		var joined []byte
		for i, v := range values {
			if i > 0 {
				joined = append(joined, between)
			}
			start := len(joined)
			joined = escaped(append(joined, v...), start)
		}
		if other, ok := seen[string(joined)]; ok {
			t.Errorf("%q and %q are both held as %q", values, other, joined)
		}
		seen[string(joined)] = values
		if diff := cmp.Diff(values, separate(string(joined))); diff != "" {
			t.Errorf("%q does not come back:\n%s", values, diff)
		}
	}
}
