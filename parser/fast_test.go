package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

// compareDecoders decodes line with both decoders. Fast may be unsure; what it
// accepts reference must accept alike. It returns fast's verdict, and how the
// two differ.
func compareDecoders(f *fast, line []byte, syms *audit.Syms) (v verdict, difference string) {
	var got, want audit.Event
	v = f.decode(line, &got, syms)
	if v == unsure {
		return v, ""
	}
	if ref := (reference{}).decode(line, &want, syms); v != decoded || ref != decoded {
		return v, fmt.Sprintf("fast says %s, reference %s", v, ref)
	}
	if !alike(&got, &want) {
		return v, cmp.Diff(want, got, sameEvent)
	}
	return v, ""
}

// traps are lines on which decoders by hand go wrong.
var traps = []struct {
	what, line string
	fast       verdict // decoded: too usual to be left to reference
}{
	{"as an API server writes it", full, decoded},
	{"the least", bare, decoded},
	{"an item of an EventList", swap(`"kind":"Event","apiVersion":"audit.k8s.io/v1",`, ""), decoded},
	{"v1beta1 with v1's stamps", swap(`v1",`, `v1beta1","metadata":{"creationTimestamp":"2018-10-26T13:42:46Z"},"timestamp":"2018-10-26T13:42:46Z",`), decoded},
	{"unknown keys", swap(`"stage":`, `"kubernetes":{"verb":"get","level":[1]},"x":null,"stage":`), decoded},
	{"spaces", strings.NewReplacer(`":`, `": `, `,"`, `, "`, `{"`, `{ "`).Replace(full), decoded},
	{"spaces before colons and after brackets", strings.NewReplacer(`":`, "\" :\t", `}`, "\r }", `]`, "\n]").Replace(bare), decoded},
	{"null for what may be missing", swap(`"objectRef":{`, `"objectRef":null,"x":{`), decoded},
	{"null for a list, a map, an object", bare[:len(bare)-1] + `,"user":{"username":null,"groups":null,"extra":null},"sourceIPs":null,"annotations":null,"responseStatus":null}`, decoded},
	{"empty objects", bare[:len(bare)-1] + `,"user":{},"objectRef":{},"responseStatus":{},"annotations":{},"sourceIPs":[],"requestObject":{}}`, decoded},
	{"null among names", swap(`"sourceIPs":["192.0.2.7"`, `"sourceIPs":[null`), decoded},
	{"characters beyond ASCII", swap("alice", "アリス"), decoded},
	{"escapes of every kind", swap("cart \\\"a\\\"", `\"\\\/\b\f\n\r\t\u0041\u00e9\u4e2d`), decoded},
	{"strings that hold keys", swap("alice", `\",\"verb\":\"list`), decoded},
	{"runs of backslashes", swap("alice", `a\\\\\\\"\\`), decoded},
	{"brackets in strings", swap("alice", "}]{["), decoded},
	{"an event in a body", swap(`[null,{}]`, full), decoded},
	{"a body as a string", swap(`[null,{}]`, `"x"`), decoded},
	{"not UTF-8 in a body", swap(`"spec":{`, "\"x\":\"\xff\",\"spec\":{"), decoded},
	{"a lone surrogate in a body", swap(`"spec":{`, `"x":"\ud800","spec":{`), decoded},
	{"a long string", swap("alice", strings.Repeat("x", 20_000)), decoded},
	{"midnight", swap("T13:48:35.000001Z", "T00:00:00.000000Z"), decoded},
	{"code 0", swap(`"code":409`, `"code":0`), decoded},

	{"equal keys", swap(`"verb":`, `"verb":"get","verb":`), unsure},
	{"two users", swap(`"sourceIPs":`, `"user":{"uid":"1"},"sourceIPs":`), unsure},
	{"the second of two users alone", strings.Replace(swap(`"sourceIPs":`, `"user":{"uid":"1"},"sourceIPs":`), `"user":{"username"`, `"other":{"username"`, 1), decoded},
	{"equal keys in an object", swap(`"uid":"77"`, `"name":"x"`), unsure},
	{"equal annotations", swap("k8s.io/reason", "k8s.io/decision"), unsure},
	{"annotations out of order", swap("k8s.io/reason", "k8s.io/a"), unsure},
	{"an escaped key", swap(`"verb"`, `"\u0076erb"`), unsure},
	{"an escaped key of an object", swap(`"resource"`, `"resourc\u0065"`), unsure},
	{"a key in capitals", swap(`"verb"`, `"Verb"`), decoded},
	{"not UTF-8", swap("alice", "al\xffce"), unsure},
	{"a surrogate pair", swap("alice", `\ud83d\ude00`), unsure},
	{"a lone surrogate", swap("alice", `\ud800`), unsure},
	{"an escape that is none", swap("alice", `\x41`), unsure},
	{"an escape cut short", swap("alice", `\u00`), unsure},
	{"a tab in a string", swap("alice", "\t"), unsure},
	{"a NUL in a body", swap("Deployment", "\x00"), unsure},
	{"brackets that don't match", swap(`[null,{}]`, `[null,{]}`), unsure},
	{"a bracket too many", full + "}", unsure},
	{"a comma too many", swap(`"replicas":-1.5e3,`, `"replicas":-1.5e3,,`), unsure},
	{"a comma before a bracket", swap(`false,"verb":"list"}`, `false,}`), unsure},
	{"a comma after a list", swap(`[null,{}]`, `[null,{},]`), unsure},
	{"a number that is none", swap(`-1.5e3`, `01`), unsure},
	{"a fraction without digits", swap(`-1.5e3`, `1.`), unsure},
	{"an exponent without digits", swap(`-1.5e3`, `1e+`), unsure},
	{"a minus alone", swap(`-1.5e3`, `-`), unsure},
	{"a word that is none", swap(`false`, `fals`), unsure},
	{"deep nesting", swap(`[null,{}]`, strings.Repeat("[", 100)+strings.Repeat("]", 100)), unsure},
	{"a user that is a string", swap(`"user":{`, `"user":"x","y":{`), unsure},
	{"a group that is a number", swap(`"dev"`, `7`), unsure},
	{"a uid that is a number", swap(`"42"`, `42`), unsure},
	{"an extra that is a string", swap(`["a","b"]`, `"a"`), unsure},
	{"a cause that is a string", swap(`[{"reason":"x","message":"y","field":"z"}]`, `["x"]`), unsure},
	{"a code with a fraction", swap(`"code":409`, `"code":409.0`), unsure},
	{"a code that is too large", swap(`"code":409`, `"code":4090000000`), unsure},
	{"status metadata of a list", swap(`"metadata":{}`, `"metadata":{"remainingItemCount":"7"}`), unsure},
	{"an annotation that is no string", swap(`"allow"`, `true`), unsure},
	{"a level nobody knows", swap(`"RequestResponse"`, `"default"`), unsure},
	{"whole seconds", swap("34.734856Z", "34Z"), unsure},
	{"a time zone", swap("34.734856Z", "34.734856+02:00"), unsure},
	{"the 30th of February", swap("2026-11-29T13:48:35", "2026-02-30T13:48:35"), unsure},
	{"a leap second", swap("13:48:35", "13:48:60"), unsure},
	{"the zero time", swap("2026-11-29T13:48:35.000001Z", "0001-01-01T00:00:00.000000Z"), unsure},
	{"no time", swap(`"stageTimestamp":"2026-11-29T13:48:35.000001Z"`, `"stageTimestamp":null`), unsure},
	{"group and version in one", swap(`"apiVersion":"v1","resourceVersion"`, `"apiVersion":"apps/v1","resourceVersion"`), unsure},
	{"no event", `{"kind":"Pod","apiVersion":"v1","level":"None","requestReceivedTimestamp":"2026-11-29T13:48:36.000000Z","stageTimestamp":"2026-11-29T13:48:36.000000Z"}`, unsure},
	{"an empty object", `{}`, unsure},
	{"nothing", ``, unsure},
	{"no object", `"kind"`, unsure},
}

// swap returns the full event with the first old replaced.
func swap(old, new string) string {
	if !strings.Contains(full, old) {
		panic("the full event does not hold " + old)
	}
	return strings.Replace(full, old, new, 1)
}

func TestFastReadsTheUsualAndLeavesTheOdd(t *testing.T) {
	var f fast
	var syms audit.Syms
	for _, trap := range traps {
		v, difference := compareDecoders(&f, []byte(trap.line), &syms)
		if v != trap.fast || difference != "" {
			t.Errorf("%s: got %s, want %s %s\n%s", trap.what, v, trap.fast, difference, trap.line)
		}
	}
}

// TestFastIsNotFooledByWhatItRemembers puts each line between others, so that
// every value of every line meets memos that hold nearly the same.
func TestFastIsNotFooledByWhatItRemembers(t *testing.T) {
	var f fast
	var syms audit.Syms
	for _, before := range traps {
		for _, line := range traps {
			f.decode([]byte(before.line), new(audit.Event), &syms)
			v, difference := compareDecoders(&f, []byte(line.line), &syms)
			if v != line.fast || difference != "" {
				t.Errorf("%s after %s: got %s, want %s %s", line.what, before.what, v, line.fast, difference)
			}
		}
	}
}

func TestFastIsUnsureOfEveryTornLine(t *testing.T) {
	var f fast
	var syms audit.Syms
	for n := range len(full) {
		for _, line := range []string{full[:n], full[:n] + full, full[:n] + full[n+1:]} {
			if _, difference := compareDecoders(&f, []byte(line), &syms); difference != "" {
				t.Errorf("torn at %d: %s\n%s", n, difference, line)
			}
		}
	}
}

func TestAnEventCostsNoAllocation(t *testing.T) {
	var f fast
	var e audit.Event
	var syms audit.Syms
	lines := [][]byte{[]byte(full), []byte(bare)}
	f.decode(lines[0], &e, &syms)
	n := testing.AllocsPerRun(100, func() {
		for _, line := range lines {
			f.release()
			if f.decode(line, &e, &syms) != decoded {
				t.Fatal("unsure")
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for two events, want 0", n)
	}
}

func TestAHugeEscapedTextIsNotKept(t *testing.T) {
	var f fast
	var syms audit.Syms
	f.decode([]byte(swap("alice", strings.Repeat(`\n`, 3<<20))), new(audit.Event), &syms)
	f.release()
	f.decode([]byte(full), new(audit.Event), &syms)
	if n := cap(f.scratch); n > maxScratch {
		t.Errorf("%d bytes of scratch are kept", n)
	}
}
