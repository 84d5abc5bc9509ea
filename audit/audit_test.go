package audit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/audit"
)

func TestTimeIsWrittenAsMicroTime(t *testing.T) {
	for _, want := range []string{`"2026-11-29T13:48:34.734856Z"`, `"2026-11-29T13:48:34.000000Z"`, `null`} {
		var at audit.Time
		if err := json.Unmarshal([]byte(want), &at); err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		got, err := json.Marshal(at)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	var at audit.Time
	if err := json.Unmarshal([]byte(`"yesterday"`), &at); err == nil {
		t.Error(`"yesterday" was read as a time`)
	}
}

func TestSymsAreEqualWhenTheirTextsAre(t *testing.T) {
	var one, two audit.Syms
	for range 2 {
		if a, b := one.Bytes([]byte("alice")), two.Bytes([]byte("alice")); a != b || a.String() != "alice" {
			t.Errorf("two caches give %q and %q", a, b)
		}
	}
	if audit.Intern("") != (audit.Sym{}) || one.Bytes(nil) != (audit.Sym{}) {
		t.Error("the empty string is not the zero Sym")
	}
}

func TestSymsDoNotKeepTheBuffer(t *testing.T) {
	var syms audit.Syms
	buf := []byte("alice")
	s := syms.Bytes(buf)
	copy(buf, "mallo")
	if s.String() != "alice" || syms.Bytes([]byte("alice")) != s {
		t.Errorf("the Sym changed with the buffer: %q", s)
	}
}

// TestATextTooLongToKeepIsCut: what stands for it is as different from others as
// it is, is the same in every worker, however it is interned, and short.
func TestATextTooLongToKeepIsCut(t *testing.T) {
	var one, two audit.Syms
	long := strings.Repeat("é", 5<<20) // cut in the middle of a character by most lengths
	a, b := one.Bytes([]byte(long+"a")), one.Bytes([]byte(long+"b"))
	if a == b || a != two.Bytes([]byte(long+"a")) || a != audit.Intern(long+"a") || a != audit.Intern(a.String()) {
		t.Errorf("%.40q and %.40q: not equal exactly when their texts are", a, b)
	}
	if got := a.String(); len(got) > audit.MaxText || !utf8.ValidString(got) || !strings.HasPrefix(got, "éé") || !strings.Contains(got, "…[10485761 bytes, sha256 ") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	for _, n := range []int{audit.MaxText - 1, audit.MaxText} {
		if s := strings.Repeat("x", n); audit.Bound(s) != s {
			t.Errorf("a text of %d bytes is cut", n)
		}
	}
	if got := audit.Bound(strings.Repeat("\x80", 5000)); len(got) > audit.MaxText {
		t.Errorf("what is no UTF-8 is cut to %d bytes", len(got))
	}
}

func TestAKnownNameCostsNoAllocation(t *testing.T) {
	var syms audit.Syms
	name := []byte("system:kube-scheduler")
	syms.Bytes(name)
	if n := testing.AllocsPerRun(100, func() { syms.Bytes(name) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestEndlessNamesDoNotGrowTheCache(t *testing.T) {
	var syms audit.Syms
	for i := range 100_000 {
		name := fmt.Sprintf("user-%d", i)
		if got := syms.Bytes([]byte(name)).String(); got != name {
			t.Fatalf("got %q, want %q", got, name)
		}
	}
	if n := syms.Len(); n > 20_000 {
		t.Errorf("%d names are kept", n)
	}
}

func TestResetLeavesNothing(t *testing.T) {
	e := audit.Event{Source: "a", Code: 200, Verb: audit.VerbGet, Groups: []audit.Sym{audit.VerbGet}, Raw: audit.View("x")}
	e.Reset()
	got, _ := json.Marshal(e)
	want, _ := json.Marshal(audit.Event{Groups: []audit.Sym{}})
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFullHasTheBodies(t *testing.T) {
	e := audit.Event{Raw: audit.View(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","requestObject":{"metadata":{"name":"web"}}}`)}
	full, err := e.Full()
	if err != nil || string(full.RequestObject.Raw) != `{"metadata":{"name":"web"}}` {
		t.Errorf("got %v, %v", full, err)
	}
	e.Raw = audit.View(`{"kind":`)
	if _, err := e.Full(); err == nil {
		t.Error("half an event decodes")
	}
}

func TestLevelsAndStagesAreWrittenAsTheAPIServerDoes(t *testing.T) {
	for l := audit.LevelNone; l <= audit.LevelRequestResponse; l++ {
		if got := audit.ParseLevel([]byte(l.String())); got != l {
			t.Errorf("level %q is read as %q", l, got)
		}
	}
	for s := audit.StageRequestReceived; s <= audit.StagePanic; s++ {
		if got := audit.ParseStage([]byte(s.String())); got != s {
			t.Errorf("stage %q is read as %q", s, got)
		}
	}
	var s audit.Stage
	if err := s.UnmarshalText([]byte("Finished")); err == nil {
		t.Error("an unknown stage is read")
	}
}

func TestSubDoesNotOverflow(t *testing.T) {
	early, late := audit.TimeOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)), audit.TimeOf(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	if d := late.Sub(early); d < 290*365*24*time.Hour {
		t.Errorf("from 0001 to 9999 it is %s", d)
	}
	if d := early.Sub(late); d > -290*365*24*time.Hour {
		t.Errorf("back it is %s", d)
	}
}
