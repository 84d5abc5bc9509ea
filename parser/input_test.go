package parser

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// event is an event as short as can be, known by its audit ID.
func event(id string) string {
	return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"` + id +
		`","stage":"ResponseComplete","requestURI":"/healthz","verb":"get","user":{},"requestReceivedTimestamp":"2026-01-05T09:00:00.000000Z","stageTimestamp":"2026-01-05T09:00:00.000100Z"}`
}

// item is an event of an EventList, which has no kind of its own.
func item(id string) string {
	return strings.Replace(event(id), `"kind":"Event","apiVersion":"audit.k8s.io/v1",`, "", 1)
}

// read reads logs and returns what is in them, an event or a refusal a line:
// "id LINE@OFFSET" or "kind LINE@OFFSET", lines from 1, in the order of the
// log.
func read(t *testing.T, logs []*Log, opts Options) string {
	t.Helper()
	opts.Ordered = true
	r := NewReader(logs, opts)
	defer r.Close()
	var (
		out     strings.Builder
		chunk   Chunk
		decoder Decoder
	)
	for {
		err := r.Next(context.Background(), &chunk)
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		for decoder.Reset(&chunk); decoder.Next(); {
			e := decoder.Event()
			fmt.Fprintf(&out, "%s %d@%d\n", e.AuditID, e.Line+1, e.Offset)
		}
		for _, r := range decoder.Stats().Refused {
			fmt.Fprintf(&out, "%s %d@%d\n", r.Kind, r.Line+1, r.Offset)
		}
	}
}

func readText(t *testing.T, text string, opts Options) string {
	t.Helper()
	return read(t, []*Log{NewLog("audit.log", strings.NewReader(text))}, opts)
}

func gzipped(parts ...string) []byte {
	var buf bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&buf)
		io.WriteString(w, part)
		w.Close()
	}
	return buf.Bytes()
}

func TestTextInWhateverStateIsReadLineByLine(t *testing.T) {
	size := len(event("a"))
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"lines", event("a") + "\n" + event("b") + "\n", fmt.Sprintf("a 1@0\nb 2@%d\n", size+1)},
		{"no last newline", event("a") + "\n" + event("b"), fmt.Sprintf("a 1@0\nb 2@%d\n", size+1)},
		{"CRLF", event("a") + "\r\n" + event("b") + "\r\n", fmt.Sprintf("a 1@0\nb 2@%d\n", size+2)},
		{"a byte order mark", "\xef\xbb\xbf" + event("a") + "\n", "a 1@3\n"},
		{"a byte order mark in each of two files, one behind the other", "\xef\xbb\xbf" + event("a") + "\n\xef\xbb\xbf" + event("b") + "\n", fmt.Sprintf("a 1@3\nb 2@%d\n", size+7)},
		{"blank lines", "\n  \n" + event("a") + "\n\n", "a 3@4\n"},
		{"indented", "  " + event("a") + "\n", "a 1@2\n"},
		{"NULs before the first event", strings.Repeat("\x00", 65536) + event("a") + "\n", "a 1@65536\n"},
		{"NULs before another", event("a") + "\n" + strings.Repeat("\x00", 300) + event("b") + "\n", fmt.Sprintf("a 1@0\nb 2@%d\n", size+301)},
		{"NULs at the end", event("a") + "\n" + strings.Repeat("\x00", 300), "a 1@0\n"},
		{"a cut last line", event("a") + "\n" + event("b")[:100], fmt.Sprintf("a 1@0\ntruncated 2@%d\n", size+1)},
		{"klog between", "I0105 09:00:00.000000       1 httplog.go:1] \"HTTP\"\n" + event("a") + "\n", "a 2@51\nklog 1@0\n"},
		{"other JSON", `{"level":"warn","msg":"x"}` + "\n" + event("a") + "\n", "a 2@27\nforeign 1@22\n"},
		{"text", "not a log\n", "foreign 1@0\n"},
	} {
		if got := readText(t, c.text, Options{}); got != c.want {
			t.Errorf("%s:\n%s", c.name, cmp.Diff(c.want, got))
		}
	}
}

func TestDocumentsOverSeveralLinesAreReadByItem(t *testing.T) {
	pretty := func(id string) string { return strings.ReplaceAll(event(id), `,"`, ",\n  \"") }
	size := len(event("a"))
	for _, c := range []struct{ name, text, want string }{
		{"an array, an event a line", "[\n" + event("a") + ",\n" + event("b") + "\n]\n", fmt.Sprintf("a 2@2\nb 3@%d\n", size+4)},
		{"an array in one line", "[" + event("a") + ", " + event("b") + "]", fmt.Sprintf("a 1@1\nb 1@%d\n", size+3)},
		{"an empty array", "[]", ""},
		{"pretty objects", pretty("a") + "\n" + pretty("b") + "\n", fmt.Sprintf("a 1@0\nb 11@%d\n", len(pretty("a"))+1)},
		{
			"an EventList", "{\n\"kind\": \"EventList\",\n\"items\": [\n" + item("a") + ",\n" + item("b") + "\n],\n\"metadata\": {\"items\": [1]}\n}\n",
			fmt.Sprintf("a 4@%d\nb 5@%d\n", len("{\n\"kind\": \"EventList\",\n\"items\": [\n"), len("{\n\"kind\": \"EventList\",\n\"items\": [\n")+len(item("a"))+2),
		},
		{
			"an EventList in one line of many", event("x") + "\n" + `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[` + item("a") + "," + item("b") + "]}\n" + event("y") + "\n",
			fmt.Sprintf("x 1@0\na 2@%d\nb 2@%d\ny 3@%d\n", size+75, size+75+len(item("a"))+1, size+75+2*len(item("a"))+4),
		},
		{"a cut document", "{\n\"kind\": \"EventList\",\n\"items\": [\n" + item("a") + ",\n" + item("b")[:50], fmt.Sprintf("a 4@%d\ntruncated 5@%d\n", 34, 34+len(item("a"))+2)},
		{"brackets in strings", "[\n" + strings.Replace(event("a"), "/healthz", `/]}\"[{x`, 1) + ",\n" + event("b") + "]\n", fmt.Sprintf("a 2@2\nb 3@%d\n", size+4)},
		{"an array of other things", "[\n1, \"two\", {\"three\": 3},\n" + event("a") + "]", "a 3@26\nforeign 2@2\nforeign 2@5\nforeign 2@12\n"},
	} {
		for _, chunk := range []int{1, 7, 300, 1 << 20} {
			got := readText(t, c.text, Options{ChunkSize: chunk})
			if chunk > 1<<10 && got != c.want {
				t.Errorf("%s:\n%s", c.name, cmp.Diff(c.want, got))
			}
			if sorted(got) != sorted(c.want) {
				t.Errorf("%s, %d bytes a chunk:\n%s", c.name, chunk, cmp.Diff(sorted(c.want), sorted(got)))
			}
		}
	}
}

func sorted(lines string) string {
	all := strings.Split(lines, "\n")
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// bzipped is the line of event("a") as bzip2 packs it, which nothing in Go's
// library writes.
func bzipped() []byte {
	b, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWTxThZgAAH9fgBAQEAfzcA4iFxA+7/8aMACtghEBoAPUBoAAaANU/SDVPRBoZBpkGg0G01BKmSmmmjBGIZNMCYjCDXyku3nsX9IaeQx2RXxk" +
		"pAARjG+OIwTDIYQSEoEHhMd7g5CUCKO0DaRT0NZ+RjwgOGqjWAhcL28LjEmCJ3FytxvoYpmcQjyOTbjfILjYY01xIoD0i6AyEMsBoFP7V8uFvancK2QRUn4g" +
		"i8IXJEv1h5neBmBjZVwbM4ENM4UQYgB2sEgtSvk22WDMf4u5IpwoSB4pwswA")
	if err != nil {
		panic(err)
	}
	return b
}

func TestContainersAreToldByTheirFirstBytes(t *testing.T) {
	var zst bytes.Buffer
	w, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, event("a")+"\n")
	w.Close()
	for name, data := range map[string][]byte{
		"gzip":                 gzipped(event("a") + "\n"),
		"gzip of two members":  gzipped(event("a")[:50], event("a")[50:]+"\n"),
		"zstd":                 zst.Bytes(),
		"bzip2":                bzipped(),
		"nothing":              []byte(event("a") + "\n"),
		"shorter than a magic": []byte(""),
	} {
		want := "a 1@0\n"
		if len(data) == 0 {
			want = ""
		}
		if got := read(t, []*Log{NewLog("audit.log", bytes.NewReader(data))}, Options{}); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestACutGzipGivesWhatWasReadableAndAnError(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		text.WriteString(event(fmt.Sprint("id-", i*7919%2000)) + "\n")
	}
	data := gzipped(text.String())
	log := NewLog("audit.log.gz", bytes.NewReader(data[:len(data)/2]))
	got := read(t, []*Log{log}, Options{})
	if n := strings.Count(got, "id-"); n < 500 {
		t.Errorf("%d events were read of the first half of 2000", n)
	}
	err := log.Parts[0].Err()
	if err == nil || !strings.Contains(err.Error(), "audit.log.gz: the gzip data ends too early") {
		t.Errorf("got error %v", err)
	}
	data[len(data)-6] ^= 1
	log = NewLog("audit.log.gz", bytes.NewReader(data))
	if got := read(t, []*Log{log}, Options{}); strings.Count(got, "id-") != 2000 {
		t.Error("a wrong checksum loses events")
	}
	if err := log.Parts[0].Err(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got error %v", err)
	}
}

// TestAPipeThatIsFollowedGivesWholeLinesAtOnce: kubectl logs -f sends a line
// when there is one.
func TestAPipeThatIsFollowedGivesWholeLinesAtOnce(t *testing.T) {
	pipe, w := io.Pipe()
	r := NewReader([]*Log{NewLog("-", pipe)}, Options{})
	defer r.Close()
	var chunk Chunk
	for _, id := range []string{"a", "b"} {
		go io.WriteString(w, event(id)+"\n")
		if err := r.Next(context.Background(), &chunk); err != nil {
			t.Fatal(err)
		}
		if got, want := string(chunk.Data), event(id)+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.CloseWithError(io.ErrClosedPipe)
	if err := r.Next(context.Background(), &chunk); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestAPipeThatTheReaderClosesDidNotFail(t *testing.T) {
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	log := NewLog("-", pipe)
	r := NewReader([]*Log{log}, Options{})
	r.Close()
	if err := r.Next(context.Background(), new(Chunk)); err != io.EOF { // when its goroutines are done
		t.Errorf("got %v, want io.EOF", err)
	}
	if err := log.Parts[0].Err(); err != nil {
		t.Errorf("the pipe failed: %v", err)
	}
}

func TestADoneContextStopsTheReading(t *testing.T) {
	pipe, w := io.Pipe()
	defer w.Close()
	r := NewReader([]*Log{NewLog("-", pipe)}, Options{})
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		var chunk Chunk
		done <- r.Next(ctx, &chunk)
	}()
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// FuzzChunks cuts any bytes into chunks of any size: the records are the same,
// with the same lines and offsets.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{
		event("a") + "\n" + event("b") + "\r\n\n", "[" + event("a") + "," + event("b") + "]", "\x00\x00" + event("a"),
		"{\n\"items\": [" + item("a") + ",\n" + item("b") + "]\n}\n" + event("c"), "\xef\xbb\xbf[1,\"]\",{}", "{\n}\n[\n]]}{,", event("a")[:90],
		"[\n" + event("a") + ",\n" + event("t")[:100] + "\n" + event("b") + "]\n", event("t")[:100] + event("a"), "{\"items\":[\n{},\n[1x]]}\n{",
	} {
		f.Add([]byte(seed), 3)
	}
	f.Add([]byte(panicked+event("a")+"\n"+httplog+panicked), 40)
	f.Add([]byte(strings.ReplaceAll(panicked, "\n", "\n2026-01-05T09:00:00Z stderr F ")), 7)
	c := cutting{decoder: Decoder{OwnLog: true}}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if len(data) > headSize {
			return // its form is told by its head
		}
		want := c.counted(t, data, Options{ChunkSize: 4096, MaxLine: 300})
		if got := c.counted(t, data, Options{ChunkSize: 1 + size&0xff, MaxLine: 300}); got != want {
			t.Errorf("%q in chunks of %d:\n%s", data, 1+size&0xff, cmp.Diff(want, got))
		}
	})
}

// A cutting reads inputs one after another in the same room, and without
// goroutines: for fuzzing.
type cutting struct {
	decoder Decoder
	chunk   Chunk
}

// counted returns the events with their places, and how many records of each
// kind were refused: a chunk keeps the places of the first ones only.
func (c *cutting) counted(t *testing.T, data []byte, opts Options) string {
	t.Helper()
	var (
		out    strings.Builder
		places []string
		raw    []byte // what is refused, but for NULs, which are passed over where a chunk begins
		total  ChunkStats
		d      = &c.decoder
	)
	opts.Long = true
	d.Refuse = func(r Refusal) { raw = append(raw, bytes.ReplaceAll(r.Raw, []byte{0}, nil)...) }
	head := beginning{data: data, rest: failing{io.EOF}, err: io.EOF}
	head.document, _ = isDocument(data)
	cutter, _ := newCutter(head, opts.withDefaults())
	log, part := &Log{}, &Part{}
	var heads csvHeads
	for cutter.next(&c.chunk) == nil {
		c.chunk.Log, c.chunk.Part = log, part
		heads.note(&c.chunk)
		var panics []string // which come when their stack was read
		for d.Reset(&c.chunk); d.Next(); {
			e := d.Event()
			where := fmt.Sprintf("%d@%d", int(total.Lines)+e.Line+1, e.Offset)
			if hasTrace(e) {
				panics = append(panics, fmt.Sprintf("%s %s %q %q\n", e.Reason, where, e.Message, e.Frames))
				continue
			}
			fmt.Fprintf(&out, "%s%s %s\n", e.AuditID, e.Reason, where)
			if len(d.arena) > (maxCarriers+1)*len(data) || len(d.texts) > len(data) {
				t.Fatalf("%d bytes and %d texts were made of %d bytes", len(d.arena), len(d.texts), len(data))
			}
		}
		places = append(places, panics...)
		stats := d.Stats()
		if n := c.chunk.allLines(); n != stats.Lines {
			t.Fatalf("%d lines were counted before they were decoded, then %d of %q", n, stats.Lines, c.chunk.Data)
		}
		total.Lines += stats.Lines
		total.Bytes += stats.Bytes
		for i, n := range stats.Skipped {
			total.Skipped[i] += n
		}
	}
	fmt.Fprintf(&out, "%q\n%d lines, %d bytes, refused %v\n%q\n", places, total.Lines, total.Bytes, total.Skipped, raw)
	return out.String()
}

func TestAPrefixIsNoPartOfAnEvent(t *testing.T) {
	for _, prefix := range []string{
		"2026-01-05T09:00:00.000000001Z ",
		"[pod/kube-apiserver-cp1/kube-apiserver] ",
		"[pod/kube-apiserver-cp1/kube-apiserver] 2026-01-05T09:00:00.000000001Z ",
		"kube-apiserver-cp1 kube-apiserver ",
		"cp1.example.com ",
		"Jan 05 09:00:00 cp1 kube-apiserver[1]: ",
		"2026-01-05T09:00:00.000000001Z stdout F ",
	} {
		want := fmt.Sprintf("a 1@%d\n", len(prefix))
		if got := readText(t, prefix+event("a")+"\n", Options{}); got != want {
			t.Errorf("%q: got %q, want %q", prefix, got, want)
		}
		if got := readText(t, prefix+event("a")[:100]+"\n", Options{}); got != fmt.Sprintf("truncated 1@%d\n", len(prefix)) {
			t.Errorf("%q and half an event: got %q", prefix, got)
		}
	}
	klog := `I0105 09:00:00.000000 1 trace.go:1] "Create" body={\"auditID\":\"b\",\"stage\":\"Panic\"} resp={"code":500}` + "\n"
	if got := readText(t, klog, Options{}); got != "klog 1@0\n" {
		t.Errorf("a line of the API server's own log: got %q", got)
	}
}
