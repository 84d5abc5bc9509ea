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

// encode writes a text in units of a way: with a mark if it begins with one.
func encode(w wide, text string) []byte {
	var order interface {
		binary.AppendByteOrder
	} = binary.LittleEndian
	if w.big {
		order = binary.BigEndian
	}
	var data []byte
	if w.size == 4 {
		for _, r := range text {
			data = order.AppendUint32(data, uint32(r))
		}
		return data
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

var wides = []wide{{size: 2}, {size: 2, big: true}, {size: 4}, {size: 4, big: true}}

func TestWideTextIsKnownWithAMarkAndWithout(t *testing.T) {
	text := strings.Repeat("{\"verb\":\"get\"}\r\n", 500) + "é \u2028 \U0001f600 end"
	for _, w := range wides {
		name := map[int]string{2: "utf-16", 4: "utf-32"}[w.size]
		for _, mark := range []string{"", "\ufeff"} {
			data := encode(w, mark+text)
			for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
				if got, layers, err := readAll(r); got != text || layers != name || err != nil {
					t.Errorf("%v mark %q: got %d bytes of %s, %v, want %d", w, mark, len(got), layers, err, len(text))
				}
			}
		}
	}
}

// TestWideTextMayGoOnAsUTF8 reads what two programs wrote into one file.
func TestWideTextMayGoOnAsUTF8(t *testing.T) {
	a, b := "{\"user\":\"é\"}\r\nI0105 x\n", "I0105 é\n{}\n"
	for _, w := range wides {
		for _, c := range []struct{ data, want string }{
			{string(encode(w, a)) + b, a + b},
			{string(encode(w, a)) + b + string(encode(w, a)) + b, a + b + a + b},
			{string(encode(w, "\ufeff"+a)) + "\ufeff" + b + string(encode(w, "\ufeff"+a)), a + "\ufeff" + b + "\ufeff" + a},
			{string(encode(w, a)) + "}", a + "}"},
		} {
			for _, r := range []io.Reader{strings.NewReader(c.data), iotest.OneByteReader(strings.NewReader(c.data))} {
				if got, _, err := readAll(r); got != c.want || err != nil {
					t.Errorf("%v %q: got %q, %v, want %q", w, c.data, got, err, c.want)
				}
			}
		}
	}
}

func TestALineOfWideTextIsKnown(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{string(encode(wide{size: 2}, `{"é":"\U0001f600"}`)), `{"é":"\U0001f600"}`},
		{"\x00" + string(encode(wide{size: 2}, "{}\r")), "{}\r"},
		{string(encode(wide{size: 2}, "{}"))[:3], ""},
		{string(encode(wide{size: 2}, "{}}"))[:5], "{}}"},
		{"\xff\xfe" + string(encode(wide{size: 2}, "{}")), "{}"},
		{"\xfe\xff" + string(encode(wide{size: 2, big: true}, "{}\r")) + "\x00", "{}\r"},
		{string(encode(wide{size: 4}, `{"é":1}`)), `{"é":1}`},
		{"\x00\x00\x00" + string(encode(wide{size: 4}, "{}}"))[:9], "{}}"},
		{"{}", ""},
		{"", ""},
		{"\x00\x00\x00\x00\x00\x00", ""},
		{"a\x00\x01\x00", ""},
		{"\xff\xfe", ""},
	} {
		if got, ok := Wide(nil, []byte(c.line)); string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v, want %q", c.line, got, ok, c.want)
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
