package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/kaudit/kaudit/fixtures"
)

// A screen is a terminal that a test looks at.
type screen struct {
	tty    *os.File // what kaudit writes to
	master *os.File
	shown  chan string       // all that was written, once tty is closed
	has    func([]byte) bool // what is waited for, or nil
	seen   atomic.Bool       // has was true
}

// newScreen opens a pseudo-terminal of so many columns.
func newScreen(t *testing.T, columns uint16, has func([]byte) bool) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{tty: tty, master: master, shown: make(chan string, 1), has: has}
	go s.watch()
	return s
}

// watch reads what is shown until nobody has the terminal open any more.
func (s *screen) watch() {
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := s.master.Read(buf)
		all = append(all, buf[:n]...)
		if s.has != nil && s.has(all) {
			s.seen.Store(true)
		}
		if err != nil { // EIO
			s.shown <- strings.ReplaceAll(string(all), "\r\n", "\n")
			return
		}
	}
}

// text closes the terminal and returns what it has shown.
func (s *screen) text() string {
	s.tty.Close()
	defer s.master.Close()
	return <-s.shown
}

func recording(t *testing.T, name string) string {
	t.Helper()
	text, err := fixtures.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/audit.log.gz"
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const color = "\x1b["

func TestATerminalGetsColoursUnlessTheyAreNotWanted(t *testing.T) {
	log := recording(t, "a-stuck-metadata-same/audit.log.gz")
	for _, c := range []struct {
		env, args string
		want      bool
	}{
		{"", "scan", true},
		{"NO_COLOR=1", "scan", false},
		{"NO_COLOR=1", "scan --color always", true},
		{"TERM=dumb", "scan", false},
		{"", "scan --color never", false},
		{"", "scan -o json", false},
		{"", "events --limit 1", true},
		{"NO_COLOR=1", "events --limit 1", false},
		{"", "events --limit 1 --color never", false},
		{"", "top user", true},
		{"TERM=dumb", "top user", false},
		{"", "who deleted ep/cart", true},
		{"", "who deleted ep/cart -o json", false},
		{"", "timeline ep/cart", true},
		{"NO_COLOR=1", "timeline ep/cart", false},
		{"", "scan -o markdown", false},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			t.Setenv("COLUMNS", "")
			t.Setenv("NO_COLOR", "")
			t.Setenv("TERM", "xterm")
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			s := newScreen(t, 80, nil)
			if status := run(t.Context(), "kaudit", append(strings.Fields(c.args), log), nil, s.tty, io.Discard); status != exitOK {
				t.Errorf("exit status %d", status)
			}
			if text := s.text(); strings.Contains(text, color) != c.want {
				t.Errorf("colours: got %t, want %t, in\n%.400q", !c.want, c.want, text)
			}
		})
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestTextIsAsWideAsTheTerminal(t *testing.T) {
	log := recording(t, "a-stuck-metadata-same/audit.log.gz")
	t.Setenv("COLUMNS", "")
	for _, columns := range []int{60, 80, 132} {
		for _, args := range []string{
			"scan --color never", "top user,verb,resource", "explain stuck-watch", "who deleted ep/cart", "timeline ep/cart --color never",
			"events --color never --limit 400", "events --all --verb watch,delete", "events --failed", "timeline --finding stuck-watch/ --color never",
		} {
			fields := strings.Fields(args)
			if fields[0] != "explain" {
				fields = append(fields, log)
			}
			s := newScreen(t, uint16(columns), nil)
			if status := run(t.Context(), "kaudit", fields, nil, s.tty, io.Discard); status != exitOK {
				t.Errorf("exit status %d", status)
			}
			widest := ""
			for line := range strings.Lines(s.text()) {
				if line = escapes.ReplaceAllString(line, ""); strings.HasPrefix(line, "    kaudit ") || strings.HasPrefix(line, "  proof ") {
					continue // a command to copy is never broken, and no place in a file
				}
				if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > utf8.RuneCountInString(widest) {
					widest = line
				}
			}
			if n := utf8.RuneCountInString(widest); n > columns {
				t.Errorf("%s in %d columns has a line of %d: %s", args, columns, n, widest)
			}
		}
	}
}

// TestAPagerShowsWhatIsAskedFor: $PAGER gets what a terminal would, coloured and
// folded, and a pager that ends early is no failure.
func TestAPagerShowsWhatIsAskedFor(t *testing.T) {
	log := recording(t, "a-stuck-metadata-same/audit.log.gz")
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, c := range []struct {
		pager, args string
		want        string // a regular expression
		status      int
	}{
		{"sed s/^/page:/", "scan --pager", `^page:.*Read.*\npage:`, exitOK},
		{"sed s/^/page:/", "events --pager --limit 5", `^page:\x1b\[2mTIME.*(\npage: .*)*\npage:\x1b`, exitOK},
		{"sed s/^/page:/", "top user --pager", `^page:.*USER`, exitOK},
		{"sed s/^/page:/", "who deleted ep/cart --pager", `^page:.*2026-`, exitOK},
		{"sed s/^/page:/", "timeline ep/cart --pager", `^page:2026-`, exitOK},
		{"sed s/^/page:/", "events --limit 1", `^\x1b\[2mTIME`, exitOK}, // it was not asked for
		{"true", "events --pager", `^$`, exitOK},
		{"head -n 1", "events --pager --all", `^\x1b\[2mTIME[^\n]*\n$`, exitOK},
		{"false", "top user --pager", `^$`, exitFailure},
		{"/no/such/pager", "top user --pager", `^$`, exitFailure},
	} {
		t.Setenv("PAGER", c.pager)
		s := newScreen(t, 132, nil)
		var stderr strings.Builder
		status := run(t.Context(), "kaudit", append(strings.Fields(c.args), log), nil, s.tty, &stderr)
		if text := s.text(); status != c.status || !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s with %s: exit status %d, want %d, and %s in\n%.400q\n%s", c.args, c.pager, status, c.status, c.want, text, &stderr)
		}
		if c.status != exitOK && !strings.Contains(stderr.String(), "show page by page: ") {
			t.Errorf("%s with %s: it says %q", c.args, c.pager, stderr.String())
		}
	}
}

// A loop is a log that goes on until something is seen on a screen.
type loop struct {
	log   bytes.Reader
	until *screen // nil: it is read once
}

func newLoop(t *testing.T, name string, until *screen) *loop {
	t.Helper()
	packed, err := fixtures.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{until: until}
	l.log.Reset(text)
	return l
}

func (l *loop) Read(p []byte) (int, error) {
	if l.log.Len() == 0 && l.until != nil && !l.until.seen.Load() {
		l.log.Seek(0, io.SeekStart)
	}
	return l.log.Read(p)
}

func TestProgressIsShownOnATerminalAndTakenBack(t *testing.T) {
	told := regexp.MustCompile(`\r\d+ events, \d+\.\d MB`)
	gone := regexp.MustCompile(`^[^\r]*\r {80}\r[^\r]*$`)
	for _, args := range []string{"scan", "top user", "who deleted pod/web -n shop", "events --verb nosuch* -o raw", "formats"} {
		s := newScreen(t, 80, told.Match)
		status := run(t.Context(), "kaudit", strings.Fields(args), newLoop(t, "a-stuck-metadata-same/audit.log.gz", s), io.Discard, s.tty)
		text := s.text()
		if status != exitOK || !told.MatchString(text) {
			t.Errorf("%s: exit status %d, no progress in %q", args, status, text)
		}
		if !gone.MatchString(text[strings.LastIndex(text, " MB"):]) {
			t.Errorf("%s: the last progress stays: %q", args, text)
		}
	}
}

func TestProgressIsShownNowhereElse(t *testing.T) {
	log := recording(t, "a-stuck-metadata-same/audit.log.gz")
	screen := newScreen(t, 80, nil)
	if status := run(t.Context(), "kaudit", []string{"scan", "-q", log}, nil, io.Discard, screen.tty); status != exitOK {
		t.Errorf("exit status %d", status)
	}
	if text := screen.text(); text != "" {
		t.Errorf("with --quiet it shows %q", text)
	}
	var stderr strings.Builder
	if status := run(t.Context(), "kaudit", []string{"scan", log}, nil, io.Discard, &stderr); status != exitOK || stderr.Len() > 0 {
		t.Errorf("exit status %d; where no terminal is it shows %q", status, &stderr)
	}
}
