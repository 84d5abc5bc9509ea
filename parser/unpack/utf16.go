package unpack

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader makes UTF-8 of UTF-16, which Windows PowerShell's > and
// Out-File write, with a byte order mark.
type utf16Reader struct {
	r     io.Reader
	order binary.ByteOrder
	raw   [4096]byte
	left  int  // bytes of raw that are half a character
	high  rune // the first half of a character outside of the first 65536, or 0
	text  []byte
	next  []byte // of text, what is to be read
	err   error
}

// openUTF16 returns an open function for an order of bytes.
func openUTF16(order binary.ByteOrder) func(io.Reader) (io.Reader, func(), error) {
	return func(r io.Reader) (io.Reader, func(), error) {
		var mark [2]byte
		if _, err := io.ReadFull(r, mark[:]); err != nil {
			return nil, nil, err
		}
		return &utf16Reader{r: r, order: order}, func() {}, nil
	}
}

func (u *utf16Reader) Read(p []byte) (int, error) {
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
func (u *utf16Reader) fill() {
	n, err := u.r.Read(u.raw[u.left:])
	n += u.left
	u.text = u.text[:0]
	for i := 0; i+1 < n; i += 2 {
		u.add(rune(u.order.Uint16(u.raw[i:])))
	}
	u.left = n % 2
	u.raw[0] = u.raw[max(n-1, 0)]
	if err == io.EOF && (u.left > 0 || u.high != 0) {
		err = io.ErrUnexpectedEOF
	}
	u.next, u.err = u.text, err
}

// add appends what a unit stands for: alone, as the second half of a character
// or, with half of one that lacks the other, as what replaces that.
func (u *utf16Reader) add(unit rune) {
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
	case unit >= 0xd800 && unit < 0xdc00:
		u.high = unit
	default:
		u.text = utf8.AppendRune(u.text, unit)
	}
}
