package unpack

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

const (
	xzMagic  = "\xfd7zXZ\x00"
	xzFooter = "YZ"
)

// openXz reads .xz streams. The library takes an end between two blocks for
// the end of all, so whole shows whether the last bytes are a stream's.
func openXz(r io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(r, packedBuffer)
	if size, ok := xzDictionary(in); ok && size > maxWindow {
		return nil, nil, fmt.Errorf("it wants %d MB of memory, and no xz -9 more than %d", size>>20, maxWindow>>20)
	}
	tail := &lastBytes{r: in}
	z, err := xz.NewReader(tail)
	if err != nil {
		return nil, nil, err
	}
	return &xzReader{z, tail}, func() {}, nil
}

// xzDictionary returns how much the first block wants to remember. The others
// have the same filter, as xz(1) writes them. Source: the .xz file format 1.2,
// sections 2.1.1 and 3.1.
func xzDictionary(in *bufio.Reader) (size int64, ok bool) {
	head, _ := in.Peek(12 + 1024)
	if len(head) < 14 {
		return 0, false
	}
	head = head[12:]
	head = head[:min(len(head), (int(head[0])+1)*4)]
	i := bytes.LastIndex(head, []byte{0x21, 0x01}) // the filter LZMA2 and the length of its properties
	if i < 0 || i+2 >= len(head) {
		return 0, false
	}
	size, err := lzma.DecodeDictCap(head[i+2])
	return size, err == nil
}

type xzReader struct {
	xz   io.Reader
	tail *lastBytes
}

func (x *xzReader) Read(p []byte) (int, error) {
	n, err := x.xz.Read(p)
	if last := x.tail.last; err == io.EOF && !bytes.HasSuffix(last[:], []byte(xzFooter)) && last != [4]byte{} {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// lastBytes remembers the last bytes that were read.
type lastBytes struct {
	r    *bufio.Reader
	last [4]byte
}

func (l *lastBytes) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	k := min(n, len(l.last))
	copy(l.last[:], l.last[k:])
	copy(l.last[len(l.last)-k:], p[n-k:n])
	return n, err
}

// ReadByte makes the library read no more than it needs.
func (l *lastBytes) ReadByte() (byte, error) {
	b, err := l.r.ReadByte()
	if err == nil {
		copy(l.last[:], l.last[1:])
		l.last[len(l.last)-1] = b
	}
	return b, err
}
