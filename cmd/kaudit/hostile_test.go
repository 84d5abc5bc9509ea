package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/kaudit/kaudit/fixtures"
)

// hostile is what a client may call itself, an object, a pod or a file: it
// clears the screen and colours it, makes a link, turns what follows around,
// hides, ends the line, is a script, a formula, a format and a picture.
const hostile = "\x1b[2J\x1b[31m\x1b]8;;http://evil.example\x1b\\\x07\u009b31m\x00\x7f\u202e\u2066\u200b\r\n\t\u2028" +
	"'\"><script>alert(1)</script>=cmd|' /C calc'!A0%s%n%d%!x![x](http://evil.example)`|"

// raw stands for bytes that are no UTF-8: JSON as it is read may hold them.
const raw, rawBytes = "RAWBYTES", "\x9b31m\xff"

// poisoned are the fields whose text ends in what is hostile. Equal texts stay
// equal, so that analyzers find what they found before.
var poisoned = map[string]bool{
	"username": true, "uid": true, "groups": true, "userAgent": true, "sourceIPs": true, "namespace": true, "name": true,
	"message": true, "reason": true, "requestURI": true, "annotations": true, "extra": true,
}

func poison(v any, here bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = poison(v[key], here || poisoned[key])
		}
	case []any:
		for i := range v {
			v[i] = poison(v[i], here)
		}
	case string:
		if here {
			return v + raw + hostile
		}
	}
	return v
}

// hostileCases returns the logs of all cases, poisoned, and behind them what is
// hostile all through: events, what is refused, and the API server's own lines.
func hostileCases(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	names, err := fs.Glob(fixtures.FS, "cases/*/input.jsonl*")
	check(t, err)
	for _, name := range names {
		text, err := fixtures.FS.ReadFile(name)
		check(t, err)
		if path.Ext(name) == ".gz" {
			z, err := gzip.NewReader(bytes.NewReader(text))
			check(t, err)
			text, err = io.ReadAll(z)
			check(t, err)
		}
		for line := range bytes.Lines(text) {
			var event map[string]any
			if json.Unmarshal(line, &event) == nil {
				out.Write(poisonedLine(t, event))
			}
		}
	}
	all := hostile + raw
	for _, v := range []any{
		map[string]any{
			"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": all, "auditID": all, "stage": "ResponseComplete", "requestURI": "/api/v1/" + all + "?" + all,
			"verb": all, "user": map[string]any{"username": all, "extra": map[string]any{all: []string{all}}}, "userAgent": all, "sourceIPs": []string{all},
			"objectRef":      map[string]any{"resource": all, "subresource": all, "namespace": all, "name": all, "apiVersion": all, "apiGroup": all},
			"responseStatus": map[string]any{"code": 500, "message": all, "reason": all}, "annotations": map[string]any{all: all},
			"requestReceivedTimestamp": "2026-11-29T13:00:00.000000Z", "stageTimestamp": "2026-11-29T13:30:00.000000Z",
		},
		map[string]any{"kind": all, all: all},
		map[string]any{"kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": all, "auditID": "x", all: all},
	} {
		out.Write(poisonedLine(t, v))
	}
	line := strings.NewReplacer("\n", "", "\r", "").Replace(hostile + rawBytes)
	for _, own := range []string{
		`I1129 13:00:00.100000       1 httplog.go:132] "HTTP" verb="` + line + `" URI="/api/v1/` + line + `" latency="2m1s" userAgent="` + line + `" audit-ID="` + line + `" srcIP="` + line + `" resp=500`,
		`E1129 13:00:00.100000       1 runtime.go:79] Observed a panic: "` + line + `" (` + line + `)`,
		`W1129 13:00:00.100000       1 reflector.go:484] ` + line + `: watch of *v1.` + line + ` ended with: too old resource version: 1 (2)`,
		`E1129 13:00:00.100000       1 x.go:1] ` + line, line, "[pod/" + line + "/x] " + line,
	} {
		out.WriteString(own + "\n")
	}
	return out.Bytes()
}

func poisonedLine(t *testing.T, v any) []byte {
	text, err := json.Marshal(poison(v, false))
	check(t, err)
	return append(bytes.ReplaceAll(text, []byte(raw), []byte(rawBytes)), '\n')
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hostileQuestions are asked of an archive.
var hostileQuestions = [][]string{
	{"events"},
	{"events", "--all", "--stages"},
	{"events", "-o", "json"},
	{"events", "-o", "jsonl"},
	{"top", "verb,user,as,user-agent,client"},
	{"top", "source-ip,code,reason,resource,group,version,subresource"},
	{"top", "namespace,name,object,uri,node"},
	{"top", "minute,level,scope,rv,limit,log"},
	{"top", "annotation:authorization.k8s.io/reason"},
	{"top", "uri", "-o", "json"},
	{"who", "deleted", "endpoints/*", "-L", "100"},
	{"who", "execed", "pod/*", "-L", "100"},
	{"who", "read", "endpoints/*"},
	{"who", "changed", "secret/*", "-o", "yaml"},
	{"timeline", "--user", "*"},
	{"timeline", "--user", "*", "-o", "json"},
	{"formats"},
	{"formats", "-o", "json"},
	{"formats", "-o", "yaml"},
}

// hostileArguments returns commands of which an argument is hostile.
func hostileArguments(archive string) [][]string {
	return [][]string{
		{"explain", hostile},
		{hostile},
		{"scan", hostile},
		{"scan", "--since", hostile, archive},
		{"scan", "--where", hostile, archive},
		{"scan", "--set", hostile, archive},
		{"scan", "--format", hostile, archive},
		{"scan", "--config", hostile},
		{"scan", "--" + hostile},
		{"scan", "--rejects", hostile, archive},
		{"events", "--user", "/" + hostile + "(/", archive},
		{"top", hostile, archive},
		{"top", "annotation:" + hostile, archive},
		{"who", hostile, hostile, archive},
		{"who", "deleted", "pod/" + hostile, archive},
		{"timeline", "pod/" + hostile, archive},
		{"timeline", "--finding", hostile, archive},
		{"formats", hostile},
		{"render", hostile},
		{"scan", archive + "!" + hostile},
	}
}

// hostileArchive makes an archive of a log, whose members have hostile names.
func hostileArchive(t *testing.T, log []byte) string {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	member := strings.ReplaceAll(hostile, "\x00", "")
	for _, m := range []struct{ name, text string }{{member + "/audit.log", string(log)}, {"pod" + member + ".log", podPrefixed(log)}, {member + "/notes", member}} {
		check(t, w.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.text))}))
		_, err := io.WriteString(w, m.text)
		check(t, err)
	}
	check(t, w.Close())
	archive := filepath.Join(t.TempDir(), "logs.tar")
	check(t, os.WriteFile(archive, packed.Bytes(), 0o644))
	return archive
}

// TestNothingHostileReachesATerminalOrAPage asks every command about logs, in
// an archive whose members are called so too, in which every text is hostile.
func TestNothingHostileReachesATerminalOrAPage(t *testing.T) {
	archive := hostileArchive(t, hostileCases(t))
	report := ask(t, "", "scan", "-o", "json", archive)
	if n := strings.Count(report, `"analyzer"`); n < 50 || !strings.Contains(report, `\u001b[2J`) {
		t.Fatalf("%d findings: nothing hostile is asked about", n)
	}
	shown := []string{"--min-severity", "info", "--min-confidence", "possible", "-o"}
	for _, form := range []string{"table", "wide", "yaml", "html", "markdown"} {
		ask(t, "", append(append([]string{"scan", archive}, shown...), form)...)
		ask(t, report, append(append([]string{"render"}, shown...), form)...)
	}
	for _, args := range hostileQuestions {
		if answer := ask(t, "", append(slices.Clone(args), archive)...); !strings.Contains(answer, "evil.example") && !strings.Contains(answer, `1b[2J`) {
			t.Errorf("%q: nothing hostile is in the answer", args)
		}
	}
	for _, args := range hostileArguments(archive) {
		ask(t, "", args...)
	}
	ask(t, hostile, "render")
	ask(t, hostile, "scan")
}

// podPrefixed writes lines as kubectl logs --prefix does, of a pod with a name
// that is none.
func podPrefixed(log []byte) string {
	name := strings.NewReplacer("\n", "", "\r", "", "/", "").Replace(hostile)
	var out strings.Builder
	for line := range bytes.Lines(log) {
		out.WriteString("[pod/" + name + "/kube-apiserver] ")
		out.Write(line)
	}
	return out.String()
}

// ask runs a command, of which nothing that it prints may be obeyed, and
// returns its answer.
func ask(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	run(t.Context(), "kaudit", args, strings.NewReader(stdin), &stdout, &stderr)
	if stdout.Len()+stderr.Len() == 0 {
		t.Errorf("%.60q: nothing is said", args)
	}
	for name, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
		if at := obeyed(text); at >= 0 {
			t.Errorf("%.60q: %s has %q", args, name, text[max(at-60, 0):min(at+20, len(text))])
		}
	}
	if args[len(args)-1] == "html" && strings.Contains(stdout.String(), "<script") {
		t.Errorf("%.60q: the page has a script", args)
	}
	return stdout.String()
}

// obeyed returns where text has what a terminal obeys or hides, or what Go
// makes of a format's verbs that nothing is for; -1 if nowhere. The page has
// thin blanks in numbers.
func obeyed(text string) int {
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r != '\n' && r != '\u202f' && !unicode.IsPrint(r) || r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return strings.Index(text, "(MISSING)")
}

// TestAUserAgentOf10MBIsShownCut asks every command about a client that calls
// itself by 10 MB. Only events -o raw has it whole.
func TestAUserAgentOf10MBIsShownCut(t *testing.T) {
	size := 10 << 20
	if testing.Short() { // beside the race detector, which takes twenty times as long
		size = 1 << 20
	}
	line := poisonedLine(t, map[string]any{
		"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "a1", "stage": "ResponseComplete",
		"requestURI": "/api/v1/namespaces/shop/pods/web/exec?command=sh", "verb": "create", "user": map[string]any{"username": "alice"},
		"objectRef":      map[string]any{"resource": "pods", "subresource": "exec", "namespace": "shop", "name": "web", "apiVersion": "v1"},
		"responseStatus": map[string]any{"code": 101}, "userAgent": strings.Repeat(hostile, size/len(hostile)), "sourceIPs": []string{"192.0.2.7"},
		"requestReceivedTimestamp": "2026-11-29T13:00:00.000000Z", "stageTimestamp": "2026-11-29T13:30:00.000000Z",
	})
	log := filepath.Join(t.TempDir(), "audit.log")
	check(t, os.WriteFile(log, line, 0o644))
	for _, args := range [][]string{
		{"scan", "--min-severity", "info", log, "-o", "table"},
		{"scan", "--min-severity", "info", log, "-o", "wide"},
		{"scan", "--min-severity", "info", log, "-o", "html"},
		{"scan", "--min-severity", "info", log, "-o", "markdown"},
		{"scan", log, "-o", "json"},
		{"scan", log, "-o", "yaml"},
		{"events", log},
		{"top", "user-agent", log},
		{"who", "execed", "pod/*", log},
		{"timeline", "--user", "*", log},
		{"formats", log},
	} {
		if n := len(ask(t, "", args...)); n > 100<<10 {
			t.Errorf("%q: %d bytes are printed", args, n)
		}
	}
}
