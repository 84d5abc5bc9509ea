package parser

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheSameContentIsReadOnceAndUnpackedIfThereIsAChoice(t *testing.T) {
	nuls := strings.Repeat("\x00", headSize)
	dir := tree(t, map[string]string{
		"packed/audit.log.gz": string(gzipped(event("a") + "\n")),
		"plain/audit.log":     event("a") + "\n",
		"longer/audit.log":    event("a") + "\n" + event("b") + "\n",
		"nuls/1.log":          nuls + event("a"),
		"nuls/2.log":          nuls + event("b"),
	})
	for _, c := range []struct{ args, want string }{
		{"packed plain", "log plain/audit.log: plain/audit.log\npassed packed/audit.log.gz: the same as plain/audit.log\n"},
		{"plain packed", "log plain/audit.log: plain/audit.log\npassed packed/audit.log.gz: the same as plain/audit.log\n"},
		{"plain longer", "log longer/audit.log: longer/audit.log\nlog plain/audit.log: plain/audit.log\n"},
		{"nuls", "log nuls/1.log: nuls/1.log\nlog nuls/2.log: nuls/2.log\n"},
	} {
		if got := found(dir, strings.Fields(c.args)...); got != c.want {
			t.Errorf("%s:\n%s", c.args, cmp.Diff(c.want, got))
		}
	}
}

// TestAPatternDoesNotFollowLinks would walk in circles: two links up make 2^40
// paths before the system says that they are too many.
func TestAPatternDoesNotFollowLinks(t *testing.T) {
	dir := tree(t, map[string]string{"a/b/audit.log": event("a")})
	for _, link := range []string{"a/b/up", "a/b/too"} {
		if err := os.Symlink("..", filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := found(dir, "a/**/*.log"), "log a/b/audit.log: a/b/audit.log\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAReadmeBesideALogHidesNotItsEnd: whoever keeps logs keeps notes.
func TestAReadmeBesideALogHidesNotItsEnd(t *testing.T) {
	dir := tree(t, map[string]string{"audit.log": event("a"), "README.md": "# The outage of January\n", "zz.log": "text\n"})
	end, err := End(t.Context(), Find([]string{dir}, nil).Logs, Options{})
	if got, want := end.String(), "2026-01-05T09:00:00.000100Z"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestTheEndOfAnArrayIsKnown(t *testing.T) {
	later := strings.ReplaceAll(event("b"), "09:00:00", "09:30:00")
	text := "[\n" + strings.Repeat(event("a")+",\n", 2*tailSize/len(event("a"))) + later + "\n]\n"
	dir := tree(t, map[string]string{"audit.json": text})
	end, err := End(t.Context(), Find([]string{dir}, nil).Logs, Options{})
	if got, want := end.String(), "2026-01-05T09:30:00.000100Z"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// TestClosingLeavesNobodyWaiting: a reader that stops, after Ctrl-C, ends the
// goroutine that waits for a pipe.
func TestClosingLeavesNobodyWaiting(t *testing.T) {
	pipe, w := io.Pipe()
	r := NewReader([]*Log{NewLog("-", pipe)}, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Next(ctx, new(Chunk)); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	r.Close()
	for range r.packed { // ends when the goroutine has
	}
	if _, err := w.Write([]byte("x")); err != io.ErrClosedPipe {
		t.Errorf("the pipe is still read: %v", err)
	}
}
