package parser

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

var everyLine = flag.Bool("every-line", false, "compare the decoders on every line of large logs too")

// logs are where recorded logs may stand: those of this repository, and
// larger ones beside a checkout.
var logs = []string{
	"testdata/*", "testdata/*/*", "../fixtures/*", "../fixtures/*/*", "../fixtures/*/*/*",
	"../../shared/cases/*/*", "../../shared/lab/*/*.gz", "../../shared/lab/*/*/*.gz", "../../shared/corpus/*/*",
}

// TestFastIsReference compares the decoders on every line of every recorded
// log, and on one in 16 where the log is large and -every-line is not given:
// reference reads some 50 MB/s. Of events in the present form, fast must
// leave less than one in a thousand to reference.
func TestFastIsReference(t *testing.T) {
	var f fast
	var syms audit.Syms
	all := 20_000
	if testing.Short() {
		all = 500
	}
	events, doubts := 0, 0
	for _, name := range logFiles(t) {
		n := 0
		eachLine(t, name, func(line []byte) bool {
			if n++; n > all && n%16 != 0 && !*everyLine {
				return !testing.Short()
			}
			v, difference := compareDecoders(&f, line, &syms)
			if difference != "" {
				t.Errorf("%s:%d: %s", name, n, difference)
			}
			var e audit.Event
			switch {
			case v == decoded:
				events++
			case (reference{}).decode(line, &e, &syms) == decoded && !e.Coarse:
				events++
				doubts++
				t.Logf("%s:%d: unsure of an event", name, n)
			}
			return true
		})
	}
	t.Logf("%d events, fast was unsure of %d", events, doubts)
	if doubts*1000 > events {
		t.Errorf("fast was unsure of %d of %d events, want less than one in a thousand", doubts, events)
	}
}

func logFiles(t testing.TB) (names []string) {
	t.Helper()
	for _, pattern := range logs {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
	}
	return names
}

// eachLine calls do with each line of a log, gzipped or not, until do returns
// false. The line is valid during the call.
func eachLine(t testing.TB, name string, do func(line []byte) bool) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var plain io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(file)
		if err != nil {
			return // a fixture may be damaged on purpose
		}
		plain = z
	}
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() && do(bytes.TrimRight(lines.Bytes(), "\r")) {
	}
}

// sampled returns up to most lines of the recorded logs, a few of each.
func sampled(t testing.TB, most int) (lines [][]byte) {
	t.Helper()
	names := logFiles(t)
	for _, name := range names {
		n := 0
		eachLine(t, name, func(line []byte) bool {
			if n++; n%97 == 1 && len(line) < 1<<14 {
				lines = append(lines, bytes.Clone(line))
			}
			return n < 97*most/len(names)
		})
	}
	return lines
}
