package hotloop

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// TestWhatIsSaidIsWithoutVersions: two updates say the same if their objects do,
// whatever the metadata; bodies that are cut off say nothing.
func TestWhatIsSaidIsWithoutVersions(t *testing.T) {
	said := func(verb audit.Sym, body string) uint64 {
		return saidBy(&audit.Event{Verb: verb, Level: audit.LevelRequest, Raw: []byte(`{"requestObject":` + body)})
	}
	one := said(audit.VerbUpdate, `{"kind":"A","metadata":{"resourceVersion":"1","x":"}\"{"},"spec":{"a":[1,{"b":"\\"}]},"status":{"n":1}},"stageTimestamp":1}`)
	if same := said(audit.VerbUpdate, `{"kind":"A","metadata":{"resourceVersion":"2"},"spec":{"a":[1,{"b":"\\"}]},"status":{"n":2}}}`); one == 0 || same != one {
		t.Errorf("another version and status: %x, want %x", same, one)
	}
	if other := said(audit.VerbUpdate, `{"kind":"A","metadata":{"resourceVersion":"1"},"spec":{"a":[2]}}}`); other == one || other == 0 {
		t.Errorf("another spec: %x", other)
	}
	if a, b := said(audit.VerbPatch, `{"metadata":{"labels":{"a":"1"}}}}`), said(audit.VerbPatch, `{"metadata":{"labels":{"a":"2"}}}}`); a == b || a == 0 {
		t.Errorf("patches of labels: %x and %x", a, b)
	}
	if list := said(audit.VerbPatch, `[{"op":"remove","path":"/spec/x"}]}`); list == 0 {
		t.Error("a list of changes says nothing")
	}
	for _, cut := range []string{``, `{`, `{"a`, `{"a":`, `{"a":"\"`, `{"a":{"b":1`, `[`, `}`} {
		if got := said(audit.VerbUpdate, cut); got != 0 {
			t.Errorf("%q: %x", cut, got)
		}
	}
}
