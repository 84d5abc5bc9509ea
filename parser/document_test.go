package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// short makes a text of readable pieces: {a} stands for the event a, {A} for
// one over ten lines, {P} for one whose brace has a line of its own, {t< for one
// torn off behind a comma, {t<< inside of a text, {g< inside of an array; [a,b]
// for an EventList in one line.
var short = strings.NewReplacer(
	"{P}", "{\n"+event("P")[1:], "{A}", strings.ReplaceAll(event("A"), `,"`, ",\n  \""), "{a}", event("a"), "{b}", event("b"), "{c}", event("c"),
	"{t<<", event("t")[:120], "{t<", event("t")[:strings.Index(event("t"), `"auditID"`)],
	"{g<", `{"kind":"Event","user":{"groups":["system:masters",`,
	"[a,b]", `{"kind":"EventList","items":[`+item("a")+","+item("b")+"]}", "[a]", `{"kind":"EventList","items":[`+item("a")+"]}",
	"[a+", `{"kind":"EventList","items":[`+item("a"),
	"[b,t<", `{"kind":"EventList","items":[`+item("b")+","+item("t")[:80],
)

// places reads a text in chunks of a size and returns what was found, by line:
// "1 a, 2 truncated".
func places(t *testing.T, text string, size int) string {
	t.Helper()
	var found []string
	for line := range strings.Lines(readText(t, text, Options{ChunkSize: size})) {
		var what string
		var at, offset int
		if _, err := fmt.Sscanf(line, "%s %d@%d", &what, &at, &offset); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text[offset:], "{") && what != "foreign" && len(strings.TrimSpace(text[offset:])) > 0 {
			t.Errorf("%s stands at offset %d, where no value begins", what, offset)
		}
		found = append(found, fmt.Sprintf("%d %s", at, what))
	}
	return strings.ReplaceAll(strings.TrimSpace(sorted(strings.Join(found, "\n"))), "\n", ", ")
}

func TestALineThatWasTornLosesNoOther(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"the first of a log, behind a comma", "{t<\n{a}\n{b}\n", "1 truncated, 2 a, 3 b"},
		{"the first of a log, in a text", "{t<<\n{a}\n{b}\n", "1 truncated, 2 a, 3 b"},
		{"in an array, in a text", "[\n{a},\n{t<<\n{b},\n{c}\n]\n", "2 a, 3 truncated, 4 b, 5 c"},
		{"in an array, behind a comma", "[\n{a},\n{t<\n{b},\n{c}\n]\n", "2 a, 3 truncated, 4 b, 5 c"},
		{"in an array, inside of an array", "[\n{a},\n{g<\n{b},\n{c}\n]\n", "2 a, 3 truncated, 4 b, 5 c"},
		{"the last of an array", "[\n{a},\n{b},\n{t<<", "2 a, 3 b, 4 truncated"},
		{"the end of an array, behind a comma", "[\n{a},\n{b},\n", "2 a, 3 b, 3 truncated"},
		{"the end of an array, behind an event", "[\n{a},\n{b}", "2 a, 3 b, 3 truncated"},
		{"the end of an EventList", "[a+\n", "1 a, 1 truncated"},
		{"the end of an EventList in one line of many", "{c}\n[a+\n{b}\n", "1 c, 2 a, 2 truncated, 3 b"},
		{"with the next event behind it", "{a}\n{t<<{b}\n{c}\n", "1 a, 2 b, 2 truncated, 3 c"},
		{"with NULs and the next event behind it", "{a}\n{t<<\x00\x00\x00{b}\n{c}\n", "1 a, 2 b, 2 truncated, 3 c"},
		{"an EventList in one line of many", "{c}\n[b,t<\n{a}\n", "1 c, 2 b, 2 truncated, 3 a"},
	} {
		for _, size := range []int{1, 64, 400, 1 << 20} {
			if got := places(t, short.Replace(c.text), size); got != c.want {
				t.Errorf("%s, %d bytes a chunk: got %s; want %s", c.name, size, got, c.want)
			}
		}
	}
}

func TestValuesMayStandInListsAndOneBehindAnother(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"events without newlines", "{a}{b} {c}\n", "1 a, 1 b, 1 c"},
		{"an EventList a line", "[a]\n[b,t<\n{c}\n", "1 a, 2 b, 2 truncated, 3 c"},
		{"an array of EventLists", "[[a],\n{b}]\n{c}", "1 a, 2 b, 3 c"},
		{"an array of EventLists in one line of many", "{c}\n[[a],{b}]\n", "1 c, 2 a, 2 b"},
		{"an array a line", "[{a},{b}]\n[{c}]\n", "1 a, 1 b, 2 c"},
		{"pretty, then text of another writer", "{A}\nI1129 server.go:1] \"x\" [y {z\nE1129 \"y\n{A}\n", "1 A, 11 foreign, 12 foreign, 13 A"},
		{"pretty below text", "Warning: x\n\nDeprecated: y\n{P}\n{a}\n", "1 foreign, 3 foreign, 4 P, 6 a"},
		{"a pretty list below text", "Warning: x\n[\n{A},\n{A}\n]\n", "1 foreign, 13 A, 3 A"},
		{"lines below text", "Warning: x\n{a}\n{\n}\n{b}\n", "1 foreign, 2 a, 3 truncated, 4 foreign, 5 b"},
		{"text that looks like an array", "[-]etcd failed: reason withheld\n{a}\n[+]ping ok\n[12] x\n", "1 foreign, 2 a, 3 foreign, 4 foreign"},
		{"text alone that looks like an array", "[12] x\n[13] y\n", "1 foreign, 2 foreign"},
	} {
		for _, size := range []int{1, 64, 400, 1 << 20} {
			if got := places(t, short.Replace(c.text), size); got != c.want {
				t.Errorf("%s, %d bytes a chunk: got %s; want %s", c.name, size, got, c.want)
			}
		}
	}
}

// TestALongItemOfAListIsPassedOver reads a list with one item longer than
// allowed, in chunks smaller and larger than it.
func TestALongItemOfAListIsPassedOver(t *testing.T) {
	long := strings.Replace(event("x"), "/healthz", "/"+strings.Repeat("x", 5000), 1)
	text := "[\n" + event("a") + ",\n" + long + ",\n" + event("b") + "]\n"
	for _, size := range []int{1, 64, 400, 1 << 20} {
		got := readText(t, text, Options{ChunkSize: size, MaxLine: 2000})
		want := fmt.Sprintf("a 2@2\nb 4@%d\noversize 3@%d\n", len("[\n,\n,\n")+len(event("a"))+len(long), 4+len(event("a")))
		if sorted(got) != sorted(want) {
			t.Errorf("%d bytes a chunk:\n%s", size, cmp.Diff(want, got))
		}
	}
}

// TestHostileNestingCostsLittle would not end in the time of a test if each
// bracket were looked at once a line.
func TestHostileNestingCostsLittle(t *testing.T) {
	for _, open := range []string{"[\n", "{\"a\":\n", "{\"items\":[\n", "{\"a\":[\n"} {
		got := readText(t, event("a")[:1]+"\n"+strings.Repeat(open, 20_000)+"\n"+event("b")+"\n", Options{})
		if !strings.Contains(got, "truncated") && !strings.Contains(got, "malformed") {
			t.Errorf("%q nested: %s", open, got)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	text := "[\n" + strings.Repeat(event("a")+",\n", 10_000) + event("b") + "]\n"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d := documentCutter{r: strings.NewReader(text), opts: Options{}.withDefaults()}
		var c Chunk
		for d.next(&c) == nil {
		}
	}
}
