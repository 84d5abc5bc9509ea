package parser

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestALineThatIsTooLongIsRefusedInEveryChunk reads a long line between two
// short ones, in chunks smaller and larger than it.
func TestALineThatIsTooLongIsRefusedInEveryChunk(t *testing.T) {
	const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"%","stage":"ResponseComplete",` +
		`"requestURI":"/api","verb":"get","stageTimestamp":"2026-11-29T13:00:00.000000Z"}` + "\n"
	short, long := strings.Replace(event, "%", "a", 1), strings.Replace(event, "%", strings.Repeat("b", 1000), 1)
	for _, size := range []int{64, 300, 1200, 100_000} {
		part := &Part{Name: "audit.log", in: strings.NewReader(short + long + short)}
		r := NewReader([]*Log{{Name: part.Name, Parts: []*Part{part}}}, Options{MaxLine: 500, ChunkSize: size})
		var events, lines, oversize int64
		var c Chunk
		var d Decoder
		for r.Next(context.Background(), &c) == nil {
			for d.Reset(&c); d.Next(); {
				events++
			}
			lines += d.Stats().Lines
			oversize += d.Stats().Skipped[Oversize]
		}
		r.Close()
		if events != 2 || lines != 3 || oversize != 1 {
			t.Errorf("chunks of %d bytes: %d events, %d lines, %d oversize; want 2, 3, 1", size, events, lines, oversize)
		}
	}
}

// TestALineThatIsTooLongIsHandedOutByPieces: so that it can be written elsewhere
// and is never held.
func TestALineThatIsTooLongIsHandedOutByPieces(t *testing.T) {
	short, long := event("a")+"\n", `{"kind":"Event",`+strings.Repeat("b", 3000)
	for _, c := range []struct{ text, want string }{
		{short + long + "\n" + short, long + "\n"},
		{short + long, long},
		{long + "\n" + long + "\n" + short, long + "\n" + long + "\n"},
	} {
		for _, size := range []int{64, 300, 1200, 3016, 3017, 100_000} {
			r := NewReader([]*Log{NewLog("x", strings.NewReader(c.text))}, Options{MaxLine: 500, ChunkSize: size, Ordered: true, Long: true})
			var got strings.Builder
			var lines, more int64
			var chunk Chunk
			d := Decoder{Refuse: func(r Refusal) {
				got.Write(r.Raw)
				if r.More {
					more++
				}
			}}
			for r.Next(t.Context(), &chunk) == nil {
				for d.Reset(&chunk); d.Next(); {
				}
				lines += d.Stats().Lines
			}
			r.Close()
			want := int64(strings.Count(strings.TrimSuffix(c.text, "\n"), "\n") + 1)
			if got.String() != c.want || lines != want || size < 1200 && more == 0 {
				t.Errorf("chunks of %d bytes: got %d bytes in %d lines, %d pieces; want %d, %d", size, got.Len(), lines, more, len(c.want), want)
			}
		}
	}
}

// TestAValueOfSeveralLinesThatIsTooLongIsHandedOutByPieces: so is one that is
// printed over several lines, or stands in a list, whole or torn, and what
// stands around it is read.
func TestAValueOfSeveralLinesThatIsTooLongIsHandedOutByPieces(t *testing.T) {
	pretty := func(id string) string { return strings.ReplaceAll(event(id), `,"`, ",\n \"") }
	long := strings.Replace(pretty("x"), "{", "{\n \"requestObject\": [\n"+strings.Repeat("  {\"a\": 1},\n", 300)+"  {}],\n", 1)
	torn := long[:len(long)-20] // in a text
	text := strings.Replace(event("x"), "/healthz", "/"+strings.Repeat("x", 3000), 1)
	for _, c := range []struct{ name, text, want string }{
		{"pretty-printed", pretty("a") + "\n" + long + "\n" + pretty("b") + "\n", long},
		{"one after another", long + long + "\n" + pretty("a") + "\n" + pretty("b") + "\n", long + "|" + long},
		{"others that are refused beside it", "[\n" + event("a") + ",\n{\"y\":1},\n" + long + ",{\"z\":1},\n" + event("b") + "]\n", `{"y":1}|` + long + `|{"z":1}`},
		{"in a list in one line", `{"kind":"EventList","items":[` + item("a") + "," + text + "," + item("b") + "]}\n", text},
		{"torn", pretty("a") + "\n" + torn + "\n" + event("b") + "\n", torn},
		{"torn, at the end", pretty("a") + "\n" + pretty("b") + "\n" + torn, torn},
		{"torn in its first text", pretty("a") + "\n{\"requestURI\": \"" + strings.Repeat("x", 3000) + "\n" + pretty("b"), "{\"requestURI\": \"" + strings.Repeat("x", 3000)},
		{"text between", pretty("a") + "\n" + strings.Repeat("x ", 3000) + "\n" + pretty("b") + "\n", strings.Repeat("x ", 3000)},
	} {
		for _, size := range []int{1, 64, 300, 1200, 100_000} {
			r := NewReader([]*Log{NewLog("x", strings.NewReader(c.text))}, Options{MaxLine: 1000, ChunkSize: size, Ordered: true})
			var got strings.Builder
			var ids []string
			largest := 0
			var chunk Chunk
			d := Decoder{Refuse: func(r Refusal) {
				got.Write(r.Raw)
				if largest = max(largest, len(r.Raw)); !r.More {
					got.WriteString("|")
				}
			}}
			for r.Next(t.Context(), &chunk) == nil {
				for d.Reset(&chunk); d.Next(); {
					ids = append(ids, string(d.Event().AuditID))
				}
			}
			r.Close()
			if diff := cmp.Diff(c.want+"|", got.String()); diff != "" || strings.Join(ids, "") != "ab" {
				t.Errorf("%s, chunks of %d bytes: events %v, refused:\n%s", c.name, size, ids, diff)
			}
			if size < 1200 && largest > 2400 {
				t.Errorf("%s, chunks of %d bytes: %d bytes were held", c.name, size, largest)
			}
		}
	}
}

// copytruncate leaves a run of NULs where the API server went on writing.
func TestNULsAreCountedHoweverALogIsCut(t *testing.T) {
	const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete",` +
		`"requestURI":"/api","verb":"get","stageTimestamp":"2026-11-29T13:00:00.000000Z"}`
	// Those of UTF-16, which Windows PowerShell writes behind what is there, are no such run.
	utf16 := strings.Join(strings.Split(event+"\r\n"+event+"\r\n", ""), "\x00")
	// Nor are those of a length of journald's.
	export := "MESSAGE\n" + written("fieldlong", event) + "\n"
	nuls := func(n int) string { return strings.Repeat("\x00", n) }
	text := nuls(5000) + event + "\n" + nuls(300) + event + "\n" + event + nuls(7) + "\n" + utf16 + export + nuls(20)
	for _, size := range []int{64, 300, 1200, 100_000} {
		part := &Part{Name: "audit.log", in: strings.NewReader(text)}
		r := NewReader([]*Log{{Name: part.Name, Parts: []*Part{part}}}, Options{ChunkSize: size})
		var events, found int64
		var c Chunk
		var d Decoder
		for r.Next(context.Background(), &c) == nil {
			for d.Reset(&c); d.Next(); {
				events++
			}
			found += d.Stats().Nuls
		}
		r.Close()
		if events != 6 || found != 5307 {
			t.Errorf("chunks of %d bytes: %d events, %d NULs; want 6, 5307", size, events, found)
		}
	}
}
