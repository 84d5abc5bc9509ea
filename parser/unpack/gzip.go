package unpack

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// A gzipReader reads the members of a gzip stream, one after the other. Zeros
// may stand behind the last one: tapes and block devices fill up with them, and
// gzip(1) takes them, too.
type gzipReader struct {
	in     *bufio.Reader
	member *gzip.Reader
}

// packedBuffer is how much of packed bytes is read at a time.
const packedBuffer = 64 << 10

func openGzip(r io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(r, packedBuffer)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	z.Multistream(false)
	return &gzipReader{in, z}, func() { z.Close() }, nil
}

var errBehindGzip = errors.New("what follows it is not gzip")

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if err == io.EOF {
			err = g.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next goes on to the next member. It returns io.EOF if there is none.
func (g *gzipReader) next() error {
	b, err := g.in.ReadByte()
	for err == nil && b == 0 {
		b, err = g.in.ReadByte()
	}
	if err != nil {
		return err
	}
	if err := g.in.UnreadByte(); err != nil {
		return err
	}
	if head, _ := g.in.Peek(2); string(head) != "\x1f\x8b" {
		return errBehindGzip
	}
	if err := g.member.Reset(g.in); err != nil {
		return err
	}
	g.member.Multistream(false)
	return nil
}
