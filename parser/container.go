package parser

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A container is what a stream of bytes is packed in. It is told by its first
// bytes, never by the file's name.
type container struct {
	name  string
	magic string
	open  func(io.Reader) (r io.Reader, close func(), err error)
}

var containers = []container{
	{"gzip", "\x1f\x8b", openGzip},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
}

// magicSize is the length of the longest magic.
const magicSize = 4

// containerOf returns the container that a stream with this head is packed in,
// or nil.
func containerOf(head []byte) *container {
	for i := range containers {
		if bytes.HasPrefix(head, []byte(containers[i].magic)) {
			return &containers[i]
		}
	}
	return nil
}

// unpack opens whatever container raw is packed in.
func unpack(raw io.Reader, p *Part) (r io.Reader, close func(), err error) {
	magic := make([]byte, magicSize)
	n, err := io.ReadFull(raw, magic)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, nil, err
	}
	whole := io.MultiReader(bytes.NewReader(magic[:n]), raw)
	p.container = containerOf(magic[:n])
	if p.container == nil {
		return whole, func() {}, nil
	}
	return p.container.open(whole)
}

func openGzip(r io.Reader) (io.Reader, func(), error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, err
	}
	return z, func() { z.Close() }, nil
}

// maxWindow bounds what a zstd frame may ask the decoder to remember: the
// window of level 19 is 8 MiB.
const maxWindow = 32 << 20

func openZstd(r io.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}
