package parser

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
