package parser

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/kaudit/kaudit/parser/unpack"
)

// A file is a member of an archive that a test makes.
type file struct{ name, text string }

func tarOf(t *testing.T, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipOf makes a zip whose members have their lengths before them, as zip(1)
// writes them to a file, or behind them, as it does to a pipe.
func zipOf(t *testing.T, method uint16, piped bool, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		var err error
		var to io.Writer
		switch {
		case piped:
			to, err = w.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		default:
			var raw []byte
			raw, err = deflated(f.text, method)
			h := &zip.FileHeader{Name: f.name, Method: method, CRC32: crcOf(f.text), CompressedSize64: uint64(len(raw)), UncompressedSize64: uint64(len(f.text))}
			if err == nil {
				to, err = w.CreateRaw(h)
			}
			f.text = string(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(to, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func xzOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func gz(text string) string { return string(gzipped(text)) }

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

func TestWhatIsDamagedLosesNoOtherMember(t *testing.T) {
	a, b, c := file{"a.log", lines("a")}, file{"b.log", lines("b")}, file{"c.log", lines("c")}
	many := func(id string) string { return lines(strings.Split(strings.Repeat(id+" ", 300)+id, " ")...) }
	broken := gz(many("b"))
	broken = broken[:len(broken)-6] + "xx" + broken[len(broken)-4:]
	header := tarOf(t, a, b, c)
	header = strings.Replace(header, "b.log\x00", "b.log\x01", 1)
	zipped := zipOf(t, zip.Deflate, false, a, b, c)
	piped := zipOf(t, zip.Store, true, a, b, c)
	for _, x := range []struct{ name, data, want string }{
		{"a .gz in a tar", tarOf(t, a, file{"b.log.gz", broken}, c), `-!a.log
  -!a.log: a
-!b.log
  -!b.log.gz: ` + strings.TrimSpace(strings.Repeat("b ", 301)) + `
  error -!b.log.gz: the gzip data is damaged (gzip: invalid checksum); 77959 bytes could be unpacked and were used
-!c.log
  -!c.log: c
`},
		{"a header of a tar", header, `-!a.log
  -!a.log: a
-!c.log
  -!c.log: c
error -: the tar data is damaged (archive/tar: invalid tar header); what could be unpacked was used
`},
		{"a cut tar", tarOf(t, a, b)[:1700], `-!a.log
  -!a.log: a
-!b.log
  -!b.log: 
  error -!b.log: the tar data ends too early: it is cut off; 164 bytes could be unpacked and were used
`},
		{"a checksum of a zip", strings.Replace(zipped, zipped[14:18], "xxxx", 1), `-!a.log
  -!a.log: a
  error -!a.log: the zip data is damaged (its checksum is wrong); 259 bytes could be unpacked and were used
-!b.log
  -!b.log: b
-!c.log
  -!c.log: c
`},
		{"a member of a zip of a pipe", strings.Replace(piped, `"auditID":"b"`, `"auditID":"x"`, 1), `-!a.log
  -!a.log: a
-!b.log
  -!b.log: x
  error -!b.log: the zip data is damaged (its checksum is wrong); 259 bytes could be unpacked and were used
-!c.log
  -!c.log: c
`},
		{"a cut zip", zipOf(t, zip.Store, false, a, b)[:400], `-!a.log
  -!a.log: a
-!b.log
  -!b.log: 
  error -!b.log: the zip data ends too early: it is cut off; 71 bytes could be unpacked and were used
`},
		{"a zip without its directory", zipped[:strings.Index(zipped, "PK\x01\x02")], `-!a.log
  -!a.log: a
-!b.log
  -!b.log: b
-!c.log
  -!c.log: c
error -: the zip data ends too early: it is cut off; what could be unpacked was used
`},
	} {
		if got := content(t, Find([]string{"-"}, strings.NewReader(x.data)).Logs); got != x.want {
			t.Errorf("%s:\n%s", x.name, cmp.Diff(x.want, got))
		}
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

func TestZerosBehindGzipAreNoDamage(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"zeros", gz(lines("a")) + strings.Repeat("\x00", 100_000), "-\n  -: a\n"},
		{"zeros and a member", gz(lines("a")) + "\x00\x00" + gz(lines("b")), "-\n  -: a b\n"},
		{"text", gz(lines("a")) + "xyz", "-\n  -: a\n  error -: the gzip data is damaged (what follows it is not gzip); 259 bytes could be unpacked and were used\n"},
	} {
		if got := content(t, []*Log{NewLog("-", strings.NewReader(c.data))}); got != c.want {
			t.Errorf("%s:\n%s", c.name, cmp.Diff(c.want, got))
		}
	}
}

func TestACutXzIsSaidToBe(t *testing.T) {
	whole := xzOf(t, lines("a"))
	for _, n := range []int{8, 12, 30, len(whole) - 30, len(whole) - 12, len(whole) - 1} { // 12 is between the header and the first block
		log := NewLog("-", strings.NewReader(whole[:n]))
		if got := content(t, []*Log{log}); !strings.Contains(got, "the xz data ends too early") {
			t.Errorf("%d of %d bytes: got %s", n, len(whole), got)
		}
	}
	greedy := []byte(whole)
	greedy[bytes.Index(greedy, []byte{0x21, 0x01})+2] = 40 // 4 GiB
	binary.LittleEndian.PutUint32(greedy[20:], crc32.ChecksumIEEE(greedy[12:20]))
	if got := content(t, []*Log{NewLog("-", bytes.NewReader(greedy))}); !strings.Contains(got, "it wants more than 64 MB of memory") {
		t.Errorf("got %s", got)
	}
}

// TestACutXzGivesWhatStandsBeforeTheCut: the last lines before it are what one
// looks for in the log of a server that died.
func TestACutXzGivesWhatStandsBeforeTheCut(t *testing.T) {
	const events = 3000
	var text strings.Builder
	for i := range events {
		text.WriteString(event(fmt.Sprintf("id-%x", sha256.Sum256(fmt.Append(nil, i)))) + "\n") // each line takes as much room
	}
	data := xzOf(t, text.String())
	log := NewLog("audit.log.xz", strings.NewReader(data[:len(data)/2]))
	got := read(t, []*Log{log}, Options{})
	if n := strings.Count(got, "id-"); n < events*45/100 {
		t.Errorf("%d events were read of the first half of %d", n, events)
	}
	if err := log.Parts[0].Err(); err == nil || !strings.Contains(err.Error(), "audit.log.xz: the xz data ends too early: it is cut off; ") {
		t.Errorf("got error %v", err)
	}
	twice := NewLog("audit.log.xz", strings.NewReader(data+"\x00\x00\x00\x00"+data))
	if got := read(t, []*Log{twice}, Options{}); strings.Count(got, "id-") != 2*events || twice.Parts[0].Err() != nil {
		t.Errorf("%d events of two streams, error %v", strings.Count(got, "id-"), twice.Parts[0].Err())
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

func crcOf(text string) uint32 { return crc32.ChecksumIEEE([]byte(text)) }

// deflated packs a text as a zip does.
func deflated(text string, method uint16) ([]byte, error) {
	if method == zip.Store {
		return []byte(text), nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	io.WriteString(w, text)
	err = w.Close()
	return b.Bytes(), err
}
