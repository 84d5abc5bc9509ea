package driver_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
)

// TestRejectsAreTheRefusedLinesInTheirOrder reads two logs, one of lines of
// many kinds and one of documents, by several workers in small chunks.
func TestRejectsAreTheRefusedLinesInTheirOrder(t *testing.T) {
	var lines, documents, want, wantDocuments strings.Builder
	documents.WriteString("[\n")
	for i := range 60 {
		e := strings.TrimSpace(event(i % 60))
		refused := fmt.Sprintf("I0105 09:00:00.000000 1 x.go:%d] \"x\"  \r\n", i)
		torn := e[:60+i] + e + "\n" // what follows a line that was cut off
		cri := fmt.Sprintf("2026-01-05T09:00:00.1Z stderr P klog line %d\n2026-01-05T09:00:00.1Z stderr F goes on\n", i)
		lines.WriteString(e + "\n" + refused + torn + "\n" + cri)
		want.WriteString(refused + torn + cri)
		fmt.Fprintf(&documents, "%s,\n{\"pod\": %d},\n", e, i)
		fmt.Fprintf(&wantDocuments, "{\"pod\": %d}\n", i)
	}
	documents.WriteString("{}]\n")
	wantDocuments.WriteString("{}\n")
	for _, workers := range []int{1, 4} {
		for _, size := range []int{300, 100_000} {
			logs := []*parser.Log{parser.NewLog("a.json", strings.NewReader(documents.String())), parser.NewLog("b.log", strings.NewReader(lines.String()))}
			var got bytes.Buffer
			driver.Run(t.Context(), logs, driver.Options{Workers: workers, Rejects: &got, Parser: parser.Options{ChunkSize: size}})
			if diff := cmp.Diff(wantDocuments.String()+want.String(), got.String()); diff != "" {
				t.Errorf("%d workers, chunks of %d bytes:\n%s", workers, size, diff)
			}
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRejectsThatCanNotBeWrittenAreAnErrorAtTheEnd(t *testing.T) {
	r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("a.log", strings.NewReader(event(1)+"x\n"+event(2)))}, driver.Options{Rejects: full{}})
	if got, want := fmt.Sprint(r.Input.Errors), "[write what was refused: no space left]"; got != want || r.Input.Events != 2 {
		t.Errorf("got %s and %d events; want %s and 2", got, r.Input.Events, want)
	}
}

func TestTheFirstOfEachKindIsTheExample(t *testing.T) {
	text := event(1) + "x\n" + strings.Repeat(event(2), 50) + "y\n" + event(3)[:100]
	for _, workers := range []int{1, 3} {
		logs := []*parser.Log{parser.NewLog("a.log", strings.NewReader(text))}
		r := driver.Run(t.Context(), logs, driver.Options{Workers: workers, Examples: true, Parser: parser.Options{ChunkSize: 400}})
		var got []string
		for _, e := range r.Input.Sources[0].Examples {
			got = append(got, fmt.Sprintf("%d %s %.5s", e.Line, e.Kind, e.Text))
		}
		want := []string{`54 truncated {"kin`, "2 foreign x"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers:\n%s", workers, diff)
		}
	}
}
