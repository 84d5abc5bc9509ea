package unpack

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func TestUTF16IsReadAsUTF8(t *testing.T) {
	text := strings.Repeat("{\"verb\":\"get\"}\r\n", 1000) + "é \u2028 \U0001f600 end"
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, unit)
		}
		for name, r := range map[string]io.Reader{
			"at once": bytes.NewReader(data), "by bytes": iotest.OneByteReader(bytes.NewReader(data)), "by halves": iotest.HalfReader(bytes.NewReader(data)),
		} {
			if got, layers, err := readAll(r); got != text || layers != "utf-16" || err != nil {
				t.Errorf("%v %s: got %d bytes of %s, %v, want %d", order, name, len(got), layers, err, len(text))
			}
		}
	}
}

func TestUTF16ThatBreaksOffSaysSo(t *testing.T) {
	for _, c := range []struct{ data, want, err string }{
		{"\xff\xfea\x00b", "a", "the utf-16 data ends too early: it is cut off"},
		{"\xff\xfea\x00\x00\xd8", "a", "the utf-16 data ends too early: it is cut off"},
		{"\xff\xfe\x00\xd8a\x00", "\ufffda", ""},
		{"\xff\xfe\x00\xdca\x00", "\ufffda", ""},
		{"\xff\xfe", "", ""},
	} {
		got, _, err := readAll(strings.NewReader(c.data))
		if said := errorText(err); got != c.want || said != c.err {
			t.Errorf("%q: got %q, %q, want %q, %q", c.data, got, said, c.want, c.err)
		}
	}
}

func readAll(r io.Reader) (text, layers string, err error) {
	x := new(Expansion)
	s, err := Open(x.Count(r), 0, x)
	if err != nil {
		return "", "", err
	}
	defer s.Close()
	b, err := io.ReadAll(&s)
	return string(b), strings.Join(s.Layers, "/"), err
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
