package parser

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/kaudit/kaudit/parser/unpack"
)

// maxInflated is what all blobs of one record may unpack to. Kinesis takes no
// blob over 10 MiB, and CloudWatch sends at most 1 MiB.
const maxInflated = 256 << 20

// openBlob opens the data of a record of Kinesis or Firehose, or what CloudWatch
// hands to Lambda: base64 of JSON, which may be compressed. Some writers of JSON
// escape the slashes or the padding of the base64.
func openBlob(d *Decoder, t text, at place) bool {
	blob, arena, ok := d.decoded(&t, at)
	if !ok {
		return false
	}
	if unpack.Packed(blob) {
		blob, arena = d.inflate(blob), d.arena
	}
	if blob = bytes.TrimLeft(blob, blanks+"\n"); len(blob) == 0 || blob[0] != '{' && blob[0] != '[' {
		return false
	}
	d.arena = arena
	d.hold(t.holding(blob, at.start))
	return true
}

// decoded returns the bytes that the base64 in a JSON string stands for, and the
// arena that they were appended to.
func (d *Decoder) decoded(t *text, at place) (blob, arena []byte, ok bool) {
	if t.data[at.start] != '"' {
		return nil, nil, false
	}
	arena, digits := d.arena, t.data[at.start+1:at.end-1]
	if bytes.IndexByte(digits, '\\') >= 0 {
		from := len(arena)
		if arena, ok = unescape(arena, digits); !ok {
			return nil, nil, false
		}
		digits = arena[from:]
	}
	from := len(arena)
	arena, ok = decodeBase64(arena, digits)
	return arena[from:], arena, ok && len(arena) > from
}

// decodeBase64 appends what base64 stands for, in either of its alphabets, with
// padding or without.
func decodeBase64(dst, digits []byte) ([]byte, bool) {
	digits = bytes.TrimRight(digits, "=\r\n")
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := alphabet.AppendDecode(dst, digits); err == nil {
			return decoded, true
		}
	}
	return dst, false
}

// inflate uncompresses blob, up to where it is damaged.
func (d *Decoder) inflate(blob []byte) []byte {
	x := new(unpack.Expansion)
	s, err := unpack.Open(x.Count(bytes.NewReader(blob)), 0, x)
	if err != nil {
		return nil
	}
	defer s.Close()
	if s.Archive != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(&s, int64(maxInflated-d.inflated)))
	d.inflated += len(text)
	return text
}
