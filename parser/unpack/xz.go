package unpack

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/therootcompany/xz"
)

const xzMagic = "\xfd7zXZ\x00"

// An xzReader reads .xz streams, one after the other, with or without the zeros
// that may stand between them. All that comes before damage is read.
type xzReader struct{ xz *xz.Reader }

func openXz(r io.Reader) (io.Reader, func(), error) {
	// The library forgets what comes together with an error; bufio parts them.
	z, err := xz.NewReader(bufio.NewReaderSize(r, packedBuffer), maxWindow)
	if err != nil {
		return nil, nil, xzError(err)
	}
	return xzReader{z}, func() {}, nil
}

func (x xzReader) Read(p []byte) (int, error) {
	n, err := x.xz.Read(p)
	return n, xzError(err)
}

// xzError says in our words what the library says of the end of a stream that
// is not whole, and of a window that no xz(1) asks for.
func xzError(err error) error {
	switch {
	case errors.Is(err, xz.ErrBuf):
		return io.ErrUnexpectedEOF
	case errors.Is(err, xz.ErrMemlimit):
		return fmt.Errorf("it wants more than %d MB of memory, as no xz -9 does", maxWindow>>20)
	}
	return err
}
