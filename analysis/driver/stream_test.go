package driver_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// seconds makes a log of events at these seconds.
func seconds(name string, at ...int) *parser.Log {
	var b strings.Builder
	for _, s := range at {
		b.WriteString(event(s))
	}
	return parser.NewLog(name, strings.NewReader(b.String()))
}

// streamed returns what a stream hands on, as "file:line".
func streamed(t *testing.T, o driver.Options, how driver.Streaming, most int, logs ...*parser.Log) ([]string, *driver.Streamed) {
	t.Helper()
	o.Parser.ChunkSize = 700
	var got []string
	pick := func() func(*audit.Event) (int64, bool) {
		return func(e *audit.Event) (int64, bool) { return e.Offset, true }
	}
	s := driver.Stream(t.Context(), logs, o, how, pick, func(p *driver.Picked[int64]) bool {
		got = append(got, fmt.Sprintf("%s:%d", p.Source, p.Line))
		return len(got) < most
	})
	return got, s
}

func TestAStreamKeepsTheOrderOfALogWithManyWorkers(t *testing.T) {
	var at []int
	var want []string
	for i := range 200 {
		at = append(at, i%60)
		want = append(want, fmt.Sprintf("a.log:%d", i+1))
	}
	for _, workers := range []int{1, 4} {
		got, s := streamed(t, driver.Options{Workers: workers}, driver.Streaming{}, 1000, seconds("a.log", at...))
		if !slices.Equal(got, want) || s.Handed != 200 || s.Input.Events != 200 {
			t.Errorf("%d workers: got %d lines %v; want 200 in order", workers, len(got), got)
		}
	}
}

func TestByTimeLogsAreReadSideBySide(t *testing.T) {
	got, s := streamed(t, driver.Options{Workers: 2}, driver.Streaming{ByTime: true}, 100,
		seconds("a.log", 1, 5, 4, 9), seconds("b.log", 2, 3, 8))
	if want := "a.log:1 b.log:1 b.log:2 a.log:3 a.log:2 b.log:3 a.log:4"; strings.Join(got, " ") != want || s.Late != 0 {
		t.Errorf("got %v, %d late; want %s", got, s.Late, want)
	}
}

func TestWhatIsTooLateForItsPlaceIsCounted(t *testing.T) {
	got, s := streamed(t, driver.Options{}, driver.Streaming{ByTime: true}, 100, seconds("a.log", 1, 30, 50, 2))
	if len(got) != 4 || s.Late != 1 {
		t.Errorf("got %v, %d late; want four, one late", got, s.Late)
	}
}

func TestAStreamEndsWhenItsReaderHasEnough(t *testing.T) {
	at := make([]int, 500)
	got, s := streamed(t, driver.Options{Workers: 3}, driver.Streaming{}, 5, seconds("a.log", at...), seconds("b.log", at...))
	if len(got) != 5 || s.Partial || len(s.Input.Errors) > 0 {
		t.Errorf("got %v, partial %t, %v; want five and no complaint", got, s.Partial, s.Input.Errors)
	}
}

func TestAStreamDropsCopiesThatAnArchiveHoldsOneAfterAnother(t *testing.T) {
	var log strings.Builder
	const events = 25_000 // more than wait for their place
	for i := range events {
		line := strings.Replace(event(i%60), `"id-`, fmt.Sprintf(`"%d-`, i), 1)
		log.WriteString(strings.Replace(line, `"stageTimestamp":"2026-01-05T09:00`, fmt.Sprintf(`"stageTimestamp":"2026-01-05T09:%02d`, i*60/events), 1))
	}
	// The second log has one event more.
	logs := archive(t, [2]string{"a/audit.log", log.String()}, [2]string{"b/audit.log", log.String() + event(59)})
	got, s := streamed(t, driver.Options{Dedupe: true}, driver.Streaming{ByTime: true}, 3*events, logs...)
	if len(got) != events+1 || *s.Input.Duplicates != events || !s.Pressed {
		t.Errorf("got %d events, %d dropped; want %d, one less dropped", len(got), *s.Input.Duplicates, events+1)
	}
}

// TestLogsOfAnArchiveAreOneStory: they are read one after another, so events
// wait for those of the next log, as many as may.
func TestLogsOfAnArchiveAreOneStory(t *testing.T) {
	logs := archive(t, [2]string{"cp1/audit.log", event(1) + event(50)}, [2]string{"cp2/audit.log", event(2) + event(51)})
	for want, byTime := range map[string]bool{"cp1:1 cp2:1 cp1:2 cp2:2": true, "cp1:1 cp1:2 cp2:1 cp2:2": false} {
		for _, logs := range [][]*parser.Log{logs, {piped(t, logs[0])}} {
			got, s := streamed(t, driver.Options{}, driver.Streaming{ByTime: byTime}, 100, logs...)
			for i, place := range got {
				_, member, _ := strings.Cut(place, "!")
				got[i] = strings.Replace(member, "/audit.log", "", 1)
			}
			if strings.Join(got, " ") != want || s.Late != 0 || s.Pressed {
				t.Errorf("%s, by time %t: got %v, %d late, pressed %t; want %s", logs[0].Name, byTime, got, s.Late, s.Pressed, want)
			}
		}
	}
}

// piped is an archive that comes through a pipe.
func piped(t *testing.T, log *parser.Log) *parser.Log {
	t.Helper()
	name, _, _ := strings.Cut(log.Parts[0].Name, "!")
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parser.NewLog(parser.Stdin, bytes.NewReader(packed))
}

// archive returns a tar, as it is found, of files with their names.
func archive(t *testing.T, files ...[2]string) []*parser.Log {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "logs.tar")
	if err := os.WriteFile(file, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return parser.Find([]string{file}, nil).Logs
}

func TestAStreamDropsCopies(t *testing.T) {
	got, s := streamed(t, driver.Options{Dedupe: true}, driver.Streaming{}, 100, seconds("a.log", 1, 2, 3), seconds("b.log", 2, 3, 4))
	if want := "a.log:1 a.log:2 a.log:3 b.log:3"; strings.Join(got, " ") != want || *s.Input.Duplicates != 2 {
		t.Errorf("got %v, %d dropped; want %s", got, *s.Input.Duplicates, want)
	}
}
