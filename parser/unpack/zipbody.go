package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// The methods of packing, by their numbers, that most zips have.
const (
	zipStore   = 0
	zipDeflate = 8
)

var zipMethods = map[uint16]func(io.Reader) (io.Reader, func(), error){
	zipStore: func(r io.Reader) (io.Reader, func(), error) { return r, func() {}, nil },
	zipDeflate: func(r io.Reader) (io.Reader, func(), error) {
		z := flate.NewReader(r)
		return z, func() { z.Close() }, nil
	},
	12: openBzip2,
	93: openZstd,
	95: openXz,
}

// A zipBody is what stands in a member.
type zipBody struct {
	h      *zipHeader
	in     *bufio.Reader
	packed *io.LimitedReader // its packed bytes; nil if their number is not known
	r      io.Reader         // unpacked; nil if it can't be read

	crc    uint32
	n      int64
	err    error
	behind bool // the descriptor was read: what follows is another member
}

func newZipBody(h *zipHeader, in *bufio.Reader) *zipBody {
	b := &zipBody{h: h, in: in}
	if !h.streamed() {
		b.packed = &io.LimitedReader{R: in, N: h.packed}
	}
	return b
}

var errZipSum = errors.New("its checksum is wrong")

// open makes b readable.
func (b *zipBody) open() (done func(), err error) {
	var packed io.Reader = b.in // deflate ends by itself
	switch {
	case b.packed != nil:
		packed = b.packed
	case b.h.method == zipStore:
		packed = storedBody{b}
	}
	unpacked, done, err := zipMethods[b.h.method](packed)
	if err != nil {
		return nil, err
	}
	b.r = unpacked
	return done, nil
}

func (b *zipBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.crc = crc32.Update(b.crc, crc32.IEEETable, p[:n])
	b.n += int64(n)
	if err == io.EOF {
		err = b.check()
	}
	b.err = damaged("zip", err)
	return n, b.err
}

// check compares what was read with what the header or the descriptor says.
func (b *zipBody) check() error {
	switch {
	case b.packed == nil && b.h.method == zipStore:
		// It ended where its descriptor stood.
	case b.packed == nil:
		found, err := b.descriptor()
		if err != nil {
			return err
		}
		if !found {
			return errZipSum
		}
	case b.n < b.h.size:
		return io.ErrUnexpectedEOF
	case b.crc != b.h.crc:
		return errZipSum
	}
	return io.EOF
}

// skip stands behind the member, whatever was read of it.
func (b *zipBody) skip() error {
	if b.packed != nil {
		if _, err := io.Copy(io.Discard, b.packed); err != nil {
			return err
		}
		if b.packed.N > 0 {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	if b.r == nil {
		return errZipHeader // where it ends can't be told
	}
	_, err := io.Copy(io.Discard, b)
	if b.behind {
		return nil // whoever has read it knows that the checksum is wrong
	}
	return err
}

// descriptor takes in what stands behind a member whose lengths were not known
// before. It has four shapes, with and without a mark, with short and long
// lengths; which it is, only its fitting tells. found is false if none fits.
func (b *zipBody) descriptor() (found bool, err error) {
	head, _ := b.in.Peek(descriptorSize)
	unmarked, marked := bytes.CutPrefix(head, []byte(zipDescriptor))
	for _, wide := range []bool{false, true} {
		n := 4 + 2*4
		if wide {
			n = 4 + 2*8
		}
		crc, fits := b.fits(unmarked, wide)
		if !fits || !marked && crc != b.crc {
			continue
		}
		if marked {
			n += len(zipDescriptor)
		}
		if crc != b.crc {
			err = errZipSum
		}
		if _, err := b.in.Discard(n); err != nil {
			return true, err
		}
		b.behind = true
		return true, err
	}
	return false, nil
}

// descriptorSize is that of the longest descriptor.
const descriptorSize = len(zipDescriptor) + 4 + 2*8

// fits reports whether d is the descriptor of as much as was read so far, and
// returns its checksum.
func (b *zipBody) fits(d []byte, wide bool) (crc uint32, ok bool) {
	le := binary.LittleEndian
	switch {
	case wide && len(d) >= 4+2*8:
		return le.Uint32(d), le.Uint64(d[4+8:]) == uint64(b.n)
	case !wide && len(d) >= 4+2*4:
		return le.Uint32(d), le.Uint32(d[4+4:]) == uint32(b.n)
	}
	return 0, false
}

// A storedBody is a member that was not packed and whose length was not known
// before: it ends where a descriptor stands that fits it.
type storedBody struct{ b *zipBody }

func (s storedBody) Read(p []byte) (int, error) {
	in := s.b.in
	if len(p) == 0 {
		return 0, nil
	}
	if _, err := in.Peek(descriptorSize); err != nil && err != io.EOF {
		return 0, err
	}
	buf, _ := in.Peek(in.Buffered())
	if len(buf) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := bytes.Index(buf, []byte(zipDescriptor))
	if n == 0 {
		switch found, err := s.b.descriptor(); {
		case err != nil:
			return 0, err
		case found:
			return 0, io.EOF
		}
		n = 1
	}
	if n < 0 {
		n = max(len(buf)-(len(zipDescriptor)-1), 1)
	}
	return in.Read(p[:min(n, len(p))])
}
