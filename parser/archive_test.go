package parser

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/parser/unpack"
)

// content reads logs by several workers and writes what was in them: each log
// with the parts and events that it was found to have, what was passed over,
// and what went wrong.
func content(t *testing.T, logs []*Log) string {
	t.Helper()
	r := NewReader(logs, Options{ChunkSize: 500})
	defer r.Close()
	events := map[*Part][]string{}
	var c Chunk
	var d Decoder
	for r.Next(context.Background(), &c) == nil {
		for d.Reset(&c); d.Next(); {
			e := d.Event()
			if e.Log != c.Log.Name || e.Source != c.Part.Name {
				t.Errorf("an event of %s in %s says it is of %s in %s", c.Part.Name, c.Log.Name, e.Source, e.Log)
			}
			events[c.Part] = append(events[c.Part], string(e.AuditID))
		}
	}
	var out strings.Builder
	all, archives := Expand(logs)
	for _, log := range all {
		fmt.Fprintf(&out, "%s\n", strings.TrimSpace(log.Name+" "+log.Label))
		for _, p := range log.Parts {
			slices.Sort(events[p])
			fmt.Fprintf(&out, "  %s: %s\n", p.Name, strings.Join(events[p], " "))
			if err := p.Err(); err != nil {
				fmt.Fprintf(&out, "  error %v\n", err)
			}
		}
	}
	for _, a := range archives {
		for _, p := range a.Passed {
			fmt.Fprintf(&out, "passed %s: %s\n", p.Name, p.Why)
		}
		if err := a.Part.Err(); err != nil {
			fmt.Fprintf(&out, "error %v\n", err)
		}
	}
	return out.String()
}

func lines(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(event(id) + "\n")
	}
	return b.String()
}

// gatheredFiles is what must-gather collects of two nodes, and what lies beside.
func gatheredFiles() []file {
	return []file{
		{"gather/", ""},
		{"gather/audit_logs/kube-apiserver.audit_logs_listing", "cp1 audit.log\n"},
		{"gather/audit_logs/kube-apiserver/cp1-audit.log.gz", gz(lines("c", "d"))},
		{"gather/audit_logs/kube-apiserver/cp1-audit-2026-01-05T09-00-00.000.log.gz", gz(lines("a", "b"))},
		{"gather/audit_logs/kube-apiserver/cp-audit-2-audit.log.gz", gz(lines("e"))},
		{"gather/audit_logs/etcd/cp1-audit.log.gz", gz("{}\n")},
		{"gather/empty.log", ""},
		{"gather/kaudit", "\x7fELF\x00\x01"},
		{"gather/copy.log.gz", gz(lines("e"))},
	}
}

const gatheredContent = `NAME!gather/audit_logs/kube-apiserver/cp-audit-2-audit.log kube-apiserver/cp-audit-2
  NAME!gather/audit_logs/kube-apiserver/cp-audit-2-audit.log.gz: e
NAME!gather/audit_logs/kube-apiserver/cp1-audit.log kube-apiserver/cp1
  NAME!gather/audit_logs/kube-apiserver/cp1-audit-2026-01-05T09-00-00.000.log.gz: a b
  NAME!gather/audit_logs/kube-apiserver/cp1-audit.log.gz: c d
passed NAME!gather/audit_logs/kube-apiserver.audit_logs_listing: a list of the files that must-gather found
passed NAME!gather/audit_logs/etcd/cp1-audit.log.gz: of etcd, which writes no audit events
passed NAME!gather/empty.log: empty
passed NAME!gather/kaudit: no text
passed NAME!gather/copy.log.gz: the same as NAME!gather/audit_logs/kube-apiserver/cp-audit-2-audit.log.gz
`

// TestMembersOfAnArchiveAreLogs reads one must-gather in every archive, from a
// file and through a pipe.
func TestMembersOfAnArchiveAreLogs(t *testing.T) {
	files := gatheredFiles()
	plain := tarOf(t, files...)
	unsized := files[:len(files)-1] // a pipe's zip has no lengths, so twins in it are not told
	withoutTwin := gatheredContent[:strings.Index(gatheredContent, "passed NAME!gather/copy")]
	for name, c := range map[string]struct{ data, want string }{
		"tar": {plain, gatheredContent}, "tar.gz": {gz(plain), gatheredContent},
		"tar.zst": {zstOf(t, plain), gatheredContent}, "tar.xz": {xzOf(t, plain), gatheredContent},
		"zip": {zipOf(t, zip.Deflate, false, files[1:]...), gatheredContent}, "zip, stored": {zipOf(t, zip.Store, false, files[1:]...), gatheredContent},
		"zip of a pipe": {zipOf(t, zip.Deflate, true, unsized[1:]...), withoutTwin}, "zip of a pipe, stored": {zipOf(t, zip.Store, true, unsized[1:]...), withoutTwin},
		"tar in zip in gzip": {gz(zipOf(t, zip.Deflate, true, file{"in.tar.gz", gz(plain)})), strings.ReplaceAll(gatheredContent, "NAME", "NAME!in.tar.gz")},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, want := content(t, Find([]string{path}, nil).Logs), strings.ReplaceAll(c.want, "NAME", path); got != want {
			t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
		}
		if got, want := content(t, Find([]string{"-"}, strings.NewReader(c.data)).Logs), strings.ReplaceAll(c.want, "NAME", "-"); got != want {
			t.Errorf("%s, through a pipe:\n%s", name, cmp.Diff(want, got))
		}
	}
}

// TestAnUnpackedMustGatherIsReadAsItsArchive: who unpacks it sees no other logs.
func TestAnUnpackedMustGatherIsReadAsItsArchive(t *testing.T) {
	files := map[string]string{}
	for _, f := range gatheredFiles()[1:] {
		files[f.name] = f.text
	}
	dir := tree(t, files)
	var labels []string
	in := Find([]string{dir}, nil)
	for _, log := range in.Logs {
		labels = append(labels, log.Label)
	}
	if want := []string{"kube-apiserver/cp-audit-2", "kube-apiserver/cp1"}; !slices.Equal(labels, want) {
		t.Errorf("got labels %q, want %q", labels, want)
	}
	if got, want := len(in.Passed), 5; got != want {
		t.Errorf("%d files were passed over, want %d: %v", got, want, in.Passed)
	}
}

// TestAMemberIsReadByTheNameThatEvidenceHas: what is printed can be asked for.
func TestAMemberIsReadByTheNameThatEvidenceHas(t *testing.T) {
	dir := tree(t, map[string]string{"mg.zip": zipOf(t, zip.Deflate, false, file{"in.tar", tarOf(t, gatheredFiles()...)}), "a.log": lines("a")})
	for only, want := range map[string]string{
		"in.tar!gather/audit_logs/kube-apiserver/cp1-audit.log.gz": "c d",
		"in.tar!gather/audit_logs/kube-apiserver":                  "e | a b | c d",
		"in.tar!**/cp-*.gz": "e",
		"in.tar!none":       "",
	} {
		logs := Find([]string{filepath.Join(dir, "mg.zip!"+only)}, nil).Logs
		var got []string
		for line := range strings.Lines(content(t, logs)) {
			if name, ids, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(name, "  ") {
				got = append(got, strings.TrimSpace(ids))
			}
		}
		if got := strings.Join(got, " | "); got != want {
			t.Errorf("%s: got %q, want %q", only, got, want)
		}
	}
	if got, want := found(dir, "a.log!x", "none.zip!x"), "error a.log!x: a.log is no archive\nerror none.zip!x: no such file or directory\n"; strings.ReplaceAll(got, dir+"/", "") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnArchiveMayHoldVersionsOfAFile(t *testing.T) {
	data := tarOf(t, file{"../../audit.log", lines("a")}, file{"audit.log", lines("a", "b")}, file{`d\audit.log`, lines("c")})
	want := "-!audit.log\n  -!audit.log: a\n-!audit.log(2)\n  -!audit.log(2): a b\n-!d/audit.log\n  -!d/audit.log: c\n"
	logs := Find([]string{"-"}, strings.NewReader(data)).Logs
	if got := content(t, logs); got != want {
		t.Error(cmp.Diff(want, got))
	}
	all, _ := Expand(logs)
	if got, want := Copies(all), []string{"-!audit.log(2)"}; !slices.Equal(got, want) {
		t.Errorf("copies are %q, want %q", got, want)
	}
}

func TestWhatIsPackedTooOftenIsNotRead(t *testing.T) {
	text := lines("a")
	for range unpack.MaxLayers {
		text = gz(text)
	}
	log := NewLog("-", strings.NewReader(text))
	if got := content(t, []*Log{log}); got != "-\n  -: a\n" {
		t.Errorf("%d times over: %s", unpack.MaxLayers, got)
	}
	for name, data := range map[string]string{"gzip": gz(text), "tar": tarOf(t, file{"audit.log", text})} {
		log := NewLog("-", strings.NewReader(data))
		if got := content(t, []*Log{log}); !strings.Contains(got, "it is packed more than 8 times over") {
			t.Errorf("once more, in %s: %s", name, got)
		}
	}
}

// FuzzContainers reads any bytes as whatever they look like: that ends, and
// without a panic.
func FuzzContainers(f *testing.F) {
	t := new(testing.T)
	files := gatheredFiles()
	for _, seed := range []string{
		gz(lines("a")), zstOf(t, lines("a")), xzOf(t, lines("a")), "BZh91AY&SY", string(bzipped()), tarOf(t, files...), gz(tarOf(t, files[:3]...)),
		zipOf(t, zip.Deflate, false, files[1:3]...), zipOf(t, zip.Store, true, files[1:4]...), zipOf(t, zip.Deflate, true, files[1:4]...),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		content(t, []*Log{NewLog("-", bytes.NewReader(data))})
	})
}
