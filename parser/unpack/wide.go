package unpack

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A wideReader makes UTF-8 of UTF-16, which Windows PowerShell's > and Out-File
// write, or of UTF-32. What other programs wrote behind it may be UTF-8, and
// what the first wrote behind that, wide again: each line tells.
type wideReader struct {
	r      io.Reader
	wide   wide
	raw    [4096]byte
	left   int  // bytes of raw that were not looked at yet
	start  bool // a line begins
	narrow bool // the line is UTF-8
	high   rune // the first half of a character outside of the first 65536, or 0
	text   []byte
	next   []byte // of text, what is to be read
	err    error
}

// A wide is a way to write text in units of several bytes.
type wide struct {
	size int // of a unit
	big  bool
}

// openWide returns an open function for what begins with a mark of so many
// bytes.
func openWide(w wide, mark int) func(io.Reader) (io.Reader, func(), error) {
	return func(r io.Reader) (io.Reader, func(), error) {
		if _, err := io.CopyN(io.Discard, r, int64(mark)); err != nil {
			return nil, nil, err
		}
		return &wideReader{r: r, wide: w}, func() {}, nil
	}
}

// Wide appends the UTF-8 of a line of UTF-16 or UTF-32 to dst. Windows
// PowerShell's >> appends such lines to a file of any encoding. The line may
// lack the zero bytes at its ends. It reports false if the line is neither.
func Wide(dst, line []byte) ([]byte, bool) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		line = bytes.TrimPrefix(line, []byte(mark))
	}
	line = bytes.TrimLeft(line, "\x00")
	if len(line) < 4 || line[1] != 0 {
		return dst, false
	}
	padded := append(bytes.Clone(line), 0, 0, 0)
	for _, w := range []wide{{size: 4}, {size: 2}} {
		if w.begins(padded) {
			u := wideReader{r: bytes.NewReader(padded[:(len(line)+w.size-1)/w.size*w.size]), wide: w}
			text, err := io.ReadAll(&u)
			return append(dst, text...), err == nil
		}
	}
	return dst, false
}

// begins reports whether a text begins as one of ASCII does, as all logs do.
func (w wide) begins(b []byte) bool {
	return len(b) >= 2*w.size && isASCII(w.unit(b)) && isASCII(w.unit(b[w.size:]))
}

// unit returns the unit that b begins with.
func (w wide) unit(b []byte) uint32 {
	switch {
	case w.size == 2 && w.big:
		return uint32(binary.BigEndian.Uint16(b))
	case w.size == 2:
		return uint32(binary.LittleEndian.Uint16(b))
	case w.big:
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func isASCII[T byte | uint32](c T) bool {
	return c >= ' ' && c < 0x7f || c == '\t' || c == '\r' || c == '\n'
}

func (u *wideReader) Read(p []byte) (int, error) {
	for len(u.next) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.next)
	u.next = u.next[n:]
	return n, nil
}

// fill takes in what one read gives, and waits for no more.
func (u *wideReader) fill() {
	n, err := u.r.Read(u.raw[u.left:])
	data := u.raw[:u.left+n]
	u.text = u.text[:0]
	for {
		took := u.take(data, err != nil)
		if took == 0 {
			break
		}
		data = data[took:]
	}
	u.left = copy(u.raw[:], data)
	if err == io.EOF && (u.left > 0 || u.high != 0) {
		err = io.ErrUnexpectedEOF
	}
	u.next, u.err = u.text, err
}

// take takes in a part of the data, and returns how long it is; 0 is that more
// must be read before. last says that there is no more.
func (u *wideReader) take(data []byte, last bool) int {
	switch size := u.wide.size; {
	case len(data) == 0:
		return 0
	case u.start && len(data) < 4 && !last:
		return 0
	case u.start:
		u.narrow = isNarrow(data[:min(len(data), 4)])
		u.start = false
		return u.take(data, last)
	case u.narrow:
		n := bytes.IndexByte(data, '\n') + 1
		if u.start = n > 0; n == 0 {
			n = len(data)
		}
		u.text = append(u.text, data[:n]...)
		return n
	case len(data) < size:
		return 0
	default:
		unit := u.wide.unit(data)
		u.start = unit == '\n'
		u.add(rune(unit))
		return size
	}
}

// isNarrow reports whether a line with this beginning is UTF-8.
func isNarrow(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return true // its mark
	}
	for i, c := range b {
		if !isASCII(c) {
			return false
		}
		if i > 0 && c == '\n' {
			break // the next line may be another
		}
	}
	return true
}

// add appends what a unit stands for: alone, as the second half of a character
// or, with half of one that lacks the other, as what replaces that.
func (u *wideReader) add(unit rune) {
	high := u.high
	u.high = 0
	switch {
	case high != 0:
		r := utf16.DecodeRune(high, unit)
		u.text = utf8.AppendRune(u.text, r)
		if r != utf8.RuneError {
			return
		}
		u.add(unit)
	case unit >= 0xd800 && unit < 0xdc00 && u.wide.size == 2:
		u.high = unit
	default:
		u.text = utf8.AppendRune(u.text, unit)
	}
}
