package parser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const criTime = "2026-01-05T09:00:00.000000001Z"

// cri writes a line as containerd does.
func cri(output, tag, text string) string {
	return criTime + " " + output + " " + tag + " " + text + "\n"
}

// docker writes a line, or a piece of one, as Docker does.
func docker(output, text string) string {
	b, _ := json.Marshal(text)
	return `{"log":` + string(b) + `,"stream":"` + output + `","time":"` + criTime + `"}` + "\n"
}

// spaced writes Docker's lines as others write JSON.
func spaced(lines string) string {
	return strings.NewReplacer(`","stream":"`, `", "stream": "`, `","time":"`, `", "time": "`, `{"log":"`, `{"log": "`).Replace(lines)
}

// turned writes a line of Docker's in another order.
func turned(output, text string) string {
	b, _ := json.Marshal(text)
	return `{"time":"` + criTime + `","stream":"` + output + `","log":` + string(b) + "}\n"
}

// TestPiecesOfALineAreJoined cuts events where a runtime may: in the middle, at
// a blank, between pieces of the other output, and never to be ended.
func TestPiecesOfALineAreJoined(t *testing.T) {
	a, b := event("a"), strings.Replace(event("b"), "/healthz", "/a b", 1)
	blank := strings.Index(b, "/a ") + 3 // behind the blank
	long := strings.Replace(a, "/healthz", "/"+strings.Repeat("}", 40_000), 1)
	for _, c := range []struct{ name, text, want string }{
		{"two", cri("stdout", "P", a[:50]) + cri("stdout", "F", a[50:]), "a 1\n"},
		{"three", cri("stdout", "P", a[:50]) + cri("stdout", "P", a[50:60]) + cri("stdout", "F", a[60:]) + cri("stdout", "F", b), "a 1\nb 4\n"},
		{"cut behind a blank", cri("stdout", "P", b[:blank]) + cri("stdout", "F", b[blank:]), "b 1\n"},
		{"cut before a blank", cri("stdout", "P", b[:blank-1]) + cri("stdout", "F", b[blank-1:]), "b 1\n"},
		{"behind the names of a CSV", "AuditId,RequestUri\n" + cri("stdout", "P", a[:50]) + cri("stdout", "F", a[50:]), "a 2\nforeign 1\n"},
		{"tags", cri("stdout", "P:x:y", a[:50]) + cri("stdout", "F:x", a[50:]), "a 1\n"},
		{"CRLF", strings.ReplaceAll(cri("stdout", "P", a[:50])+cri("stdout", "F", a[50:]), "\n", "\r\n"), "a 1\n"},
		{
			"both outputs by turns", cri("stdout", "P", a[:50]) + cri("stderr", "P", b[:blank]) + cri("stdout", "F", a[50:]) + cri("stderr", "F", b[blank:]),
			"a 1\nb 2\n",
		},
		{"klog between", cri("stdout", "P", a[:50]) + cri("stderr", "F", "I0105 09:00:00.000000 1 x.go:1] y") + cri("stdout", "F", a[50:]), "a 1\nklog 2\n"},
		{"an end without a beginning", cri("stdout", "F", a[50:]) + cri("stdout", "F", b), "b 2\nmalformed 1\n"},
		{"a beginning without an end", cri("stdout", "F", b) + cri("stdout", "P", a[:50]) + cri("stdout", "P", a[50:70]), "b 1\ntruncated 2\n"},
		{"a whole event without an end", cri("stdout", "P", a), "a 1\n"},
		{"docker", docker("stdout", a[:50]) + docker("stderr", "x\n") + docker("stdout", a[50:]+"\n") + docker("stdout", b+"\n"), "a 1\nb 4\nforeign 2\n"},
		{"docker, behind what stands for an end of line", docker("stdout", a[:50]+`\n`) + docker("stdout", a[50:]+"\n"), "a 1\n"},
		{"docker, with blanks", spaced(docker("stdout", a[:50]) + docker("stderr", "x\n") + docker("stdout", a[50:60]) + docker("stdout", a[60:]+"\n")), "a 1\nforeign 2\n"},
		{"docker, in another order", turned("stdout", a[:50]) + turned("stdout", a[50:60]) + turned("stdout", a[60:]+"\n") + turned("stdout", b+"\n"), "a 1\nb 4\n"},
		{"docker, without ends of lines", turned("stdout", "I0105 09:00:00.000000 1 x.go:1] y") + turned("stdout", a) + turned("stdout", "[-]etcd failed") + turned("stdout", b), "a 2\nb 4\nforeign 3\nklog 1\n"},
		{
			"docker, as long as its pieces, each like an object's end",
			spaced(docker("stdout", long[:dockerPiece]) + docker("stdout", long[dockerPiece:2*dockerPiece]) + docker("stdout", long[2*dockerPiece:]+"\n")),
			"a 1\n",
		},
		{"docker, at a quote", docker("stdout", a[:1]) + docker("stdout", a[1:2]) + docker("stdout", a[2:]+"\n"), "a 1\n"},
	} {
		for _, chunk := range []int{1, 7, 64, 300, 1 << 20} {
			got := linesOf(readText(t, c.text, Options{ChunkSize: chunk}))
			if sorted(got) != sorted(c.want) {
				t.Errorf("%s, %d bytes a chunk:\n%s", c.name, chunk, cmp.Diff(sorted(c.want), sorted(got)))
			}
		}
	}
}

// linesOf takes the offsets off what read returns.
func linesOf(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		place, _, _ := strings.Cut(line, "@")
		b.WriteString(place + "\n")
	}
	return b.String()
}

// TestALineThatIsNeverEndedIsGivenUp: what is behind it is read, and no more
// is held than a line may be long.
func TestALineThatIsNeverEndedIsGivenUp(t *testing.T) {
	text := cri("stdout", "P", event("a")[:50])
	for i := range 20 {
		text += cri("stderr", "F", event(fmt.Sprint("s", i)))
	}
	text += cri("stdout", "F", event("a")[50:])
	for _, chunk := range []int{1, 300, 1 << 20} {
		got := readText(t, text, Options{ChunkSize: chunk, MaxLine: 1000})
		if strings.Count("\n"+got, "\ns") != 20 || !strings.Contains(got, "oversize 1@") || !strings.Contains(got, "malformed 22@") {
			t.Errorf("%d bytes a chunk: got %s", chunk, got)
		}
	}
}

// TestPiecesWithoutAnEndAreNotHeld: no chunk is longer than a line may be, and
// is read and a chunk more, and what was given up is told as too long.
func TestPiecesWithoutAnEndAreNotHeld(t *testing.T) {
	const maxLine = 1000
	text := cri("stdout", "F", event("a")) + cri("stdout", "P", event("b")[:50])
	for range 200 {
		text += cri("stdout", "P", strings.Repeat("x", 50))
	}
	text += cri("stdout", "F", "x") + cri("stdout", "F", event("c"))
	var first string
	for _, size := range []int{1, 300, 700} {
		r := NewReader([]*Log{NewLog("x", strings.NewReader(text))}, Options{ChunkSize: size, MaxLine: maxLine, Ordered: true})
		var c Chunk
		for r.Next(t.Context(), &c) == nil {
			if most := maxLine + 2*size; len(c.Data) > most {
				t.Errorf("%d bytes a chunk: there is one of %d, want %d at most", size, len(c.Data), most)
			}
		}
		r.Close()
		got := readText(t, text, Options{ChunkSize: size, MaxLine: maxLine})
		if !strings.Contains(got, "a 1@") || !strings.Contains(got, "c 204@") || !strings.Contains(got, "oversize 2@") || strings.Count(got, "oversize") < 10 || strings.Contains(got, "truncated") {
			t.Errorf("%d bytes a chunk: got %s", size, got)
		}
		if first == "" {
			first = sorted(got)
		}
		if sorted(got) != first {
			t.Errorf("%d bytes a chunk: got %s, want %s", size, got, first)
		}
	}
}

// TestWhatIsGivenUpIsReadBeforeItsRoomIsUsedAgain: the line that is too long
// for what is open begins another piece of the same output.
func TestWhatIsGivenUpIsReadBeforeItsRoomIsUsedAgain(t *testing.T) {
	long := func(id string) string { return strings.Replace(event(id), "/healthz", "/"+strings.Repeat("x", 500), 1) }
	text := cri("stdout", "P", long("a")) + cri("stdout", "P", long("b")[:600]) + cri("stdout", "F", long("b")[600:])
	for _, chunk := range []int{1, 300, 1 << 20} {
		if got, want := linesOf(readText(t, text, Options{ChunkSize: chunk, MaxLine: 1100})), "a 1\nb 2\n"; sorted(got) != sorted(want) {
			t.Errorf("%d bytes a chunk: got %s, want %s", chunk, got, want)
		}
	}
}
