package report

import "testing"

// TestACommandThatIsSuggestedNamesTheFile: whatever its name, a shell takes the
// words for it, and a terminal gets no control character.
func TestACommandThatIsSuggestedNamesTheFile(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"audit.log", " audit.log"},
		{"-o.log", " ./-o.log"},
		{"a b", " 'a b'"},
		{"it's", ` 'it'\''s'`},
		{"a\x1b[31m\n", ` $'a\033[31m\012'`},
		{"-'\\\t1", ` $'./-\'\\\0111'`},
		{"é\xff\u202e", ` $'é\377\342\200\256'`},
		{"é", " 'é'"},
	} {
		if got := (Options{Arguments: []string{c.name}}).arguments(); got != c.want {
			t.Errorf("%q: got %s, want %s", c.name, got, c.want)
		}
	}
}
