package parser

import (
	"context"
	"fmt"
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

// tree makes files below a new directory and returns its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// found writes what Find made of arguments, with paths relative to dir.
func found(dir string, args ...string) string {
	for i := range args {
		args[i] = filepath.Join(dir, args[i])
	}
	in := Find(args, nil)
	var out strings.Builder
	for _, log := range in.Logs {
		fmt.Fprintf(&out, "log %s:", log.Name)
		for _, part := range log.Parts {
			fmt.Fprintf(&out, " %s", part.Name)
		}
		out.WriteString("\n")
	}
	for _, p := range in.Passed {
		fmt.Fprintf(&out, "passed %s: %s\n", p.Name, p.Why)
	}
	for _, err := range in.Errors {
		fmt.Fprintf(&out, "error %v\n", err)
	}
	return strings.ReplaceAll(out.String(), dir+"/", "")
}

func TestRotatedPartsAreOneLogOldestFirst(t *testing.T) {
	dir := tree(t, map[string]string{
		"audit.log":                                event("d"),
		"audit-2026-11-29T13-59-50.644.log":        event("c"),
		"audit-2026-11-29T13-54-30.208.log.gz":     string(gzipped(event("b"))),
		"cp2/audit.log.gz":                         string(gzipped(event("e"))),
		"one/audit-2026-11-29T13-54-30.208.log.gz": string(gzipped(event("f"))),
		"audit-policy.log":                         event("g"),
	})
	want := `log audit-policy.log: audit-policy.log
log audit.log: audit-2026-11-29T13-54-30.208.log.gz audit-2026-11-29T13-59-50.644.log audit.log
log cp2/audit.log.gz: cp2/audit.log.gz
log one/audit-2026-11-29T13-54-30.208.log.gz: one/audit-2026-11-29T13-54-30.208.log.gz
`
	if got := found(dir, ""); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestPartsThatLogrotateNamesAreOneLogOldestFirst(t *testing.T) {
	dir := tree(t, map[string]string{
		"n1/audit.log":                 event("a"),
		"n1/audit.log.1":               event("b"),
		"n1/audit.log.2.gz":            string(gzipped(event("c"))),
		"n1/audit.log.10.gz":           string(gzipped(event("d"))),
		"n2/audit.log":                 event("e"),
		"n2/audit.log-20261128.gz":     string(gzipped(event("f"))),
		"n2/audit.log-20261129":        event("g"),
		"pod/0.log":                    event("h"),
		"pod/0.log.20261129-140501":    event("i"),
		"pod/0.log.20261129-130501.gz": string(gzipped(event("j"))),
		"servers/audit.1":              event("k"), // these may be of two servers
		"servers/audit.2":              event("l"),
	})
	want := `log n1/audit.log: n1/audit.log.10.gz n1/audit.log.2.gz n1/audit.log.1 n1/audit.log
log n2/audit.log: n2/audit.log-20261128.gz n2/audit.log-20261129 n2/audit.log
log pod/0.log: pod/0.log.20261129-130501.gz pod/0.log.20261129-140501 pod/0.log
log servers/audit.1: servers/audit.1
log servers/audit.2: servers/audit.2
`
	if got := found(dir, ""); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestAFileIsReadOnceHoweverItIsReached(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/audit.log":       event("a"),
		"a/b/c/other.log":   event("b"),
		"copy/audit.log.gz": string(gzipped(event("a"))),
	})
	for link, target := range map[string]string{"a/b/up": "..", "link.log": "a/audit.log", "a/gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	want := `log a/audit.log: a/audit.log
log a/b/c/other.log: a/b/c/other.log
passed a/gone: the link leads nowhere
passed copy/audit.log.gz: the same as a/audit.log
`
	if got := found(dir, "a", "a/b", "link.log", "a/audit.log", "copy", "a/**/*.log"); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestWhatCanNotBeReadIsNamed(t *testing.T) {
	dir := tree(t, map[string]string{
		"empty.log": "", "d/empty.log": "", "d/audit.log": event("a"), "d/prog": "\x7fELF\x00\x01", "prog": "\x7fELF\x00\x01", "bad.gz": "\x1f\x8bnot gzip",
		"png": "\x89PNG\r\n\x1a\n\x00", "text.log": "I0105 x\n\x00{\x00",
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"d"}, "log d/audit.log: d/audit.log\npassed d/empty.log: empty\npassed d/prog: no text\n"},
		{[]string{"empty.log"}, "error empty.log: is empty\n"},
		{[]string{"empty.log", "d/audit.log"}, "log d/audit.log: d/audit.log\npassed empty.log: empty\n"},
		{[]string{"none.log"}, "error none.log: no such file or directory\n"},
		{[]string{"none*.log"}, "error none*.log: no file matches\n"},
		{[]string{"prog"}, "error prog: is not text, so it is no audit log\n"},
		{[]string{"png"}, "error png: is not text, so it is no audit log\n"},
		{[]string{"text.log"}, "log text.log: text.log\n"},
		{[]string{"d/audit.log/x"}, "error d/audit.log/x: not a directory\n"},
	} {
		if got := found(dir, c.args...); got != c.want {
			t.Errorf("%v:\n%s", c.args, cmp.Diff(c.want, got))
		}
	}
	if got := found(dir, "bad.gz"); !strings.HasPrefix(got, "error bad.gz: the gzip data ") {
		t.Errorf("bad.gz: %s", got)
	}
}

func TestOneLogInTwoShapesIsNoticed(t *testing.T) {
	prefixed := "2026-01-05T09:00:00Z " + event("a") + "\n2026-01-05T09:00:01Z " + event("b") + "\n"
	dir := tree(t, map[string]string{
		"audit.log":    "klog\n" + event("a") + "\n" + event("b") + "\n",
		"kubectl.log":  prefixed,
		"list.json":    "[\n" + event("a") + ",\n" + event("b") + "\n]\n",
		"other.log":    event("b") + "\n",
		"no-event.log": "text\n",
	})
	got := strings.ReplaceAll(strings.Join(Find([]string{dir}, nil).Copies, " "), dir+"/", "")
	if want := "kubectl.log list.json"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
