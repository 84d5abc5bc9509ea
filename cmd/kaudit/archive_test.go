package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnArchiveThatIsNotPutInOrderSaysSo: of two logs of an archive, read from a
// file or through a pipe, whose times interleave, more events are chosen than may
// wait for their place.
func TestAnArchiveThatIsNotPutInOrderSaysSo(t *testing.T) {
	const events = 11_000 // of each log
	const line = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"%[1]s-%[2]d","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list",` +
		`"user":{"username":"%[1]s"},"objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"code":200},` +
		`"requestReceivedTimestamp":"2026-01-05T%02[3]d:%02[4]d:%02[5]d.000000Z","stageTimestamp":"2026-01-05T%02[3]d:%02[4]d:%02[5]d.000000Z"}` + "\n"
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, cp := range []string{"cp1", "cp2", "cp3"} {
		var log bytes.Buffer
		for s := range events {
			fmt.Fprintf(&log, line, cp, s, s/3600, s/60%60, s%60)
		}
		if err := w.WriteHeader(&tar.Header{Name: cp + "/audit.log", Mode: 0o644, Size: int64(log.Len())}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(log.Bytes()); err != nil {
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
	const hint = "kaudit: hint: logs of an archive are read one after another: choose fewer events, or name each log: ARCHIVE!PATH\n"
	const more, unsure = "kaudit: events: there is more; --limit 3 stops here\n", "kaudit: events: an archive has more chosen events than can be sorted: other logs in it may have earlier ones\n"
	for _, input := range []string{file, "-"} {
		for args, want := range map[string]string{
			"--all":           " events are out of order in the log by too much to be sorted\n" + hint,
			"--all --limit 3": more + unsure + hint,
			"--all --limit 3 --until 2026-01-05T00:30:00Z": more, // so few wait
			"--all --sort none":                            "",
			"--all --user cp1 --user cp3 -L 3":             more + unsure + hint,
		} {
			var stdout, stderr strings.Builder
			args := append([]string{"events", input}, strings.Fields(args)...)
			status := run(t.Context(), "kaudit", args, bytes.NewReader(packed.Bytes()), &stdout, &stderr)
			if told := stderr.String(); status != exitOK || told != want && !(strings.HasPrefix(want, " ") && strings.HasSuffix(told, want)) {
				t.Errorf("%v: exit status %d, it says\n%s", args, status, told)
			}
			if lines := strings.Split(stdout.String(), "\n"); want == more && !(strings.Contains(lines[1], "cp1") && strings.Contains(lines[2], "cp2") && strings.Contains(lines[3], "cp3")) {
				t.Errorf("%v: it is not in order of time:\n%s", args, stdout.String())
			}
		}
	}
}
