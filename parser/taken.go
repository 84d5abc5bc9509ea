package parser

import (
	"io"
	"sync/atomic"
)

// Taken returns how many bytes of the part's file have been read so far,
// counted as packed, and the size of the file. For a pipe the size is 0, which
// means unknown.
func (p *Part) Taken() (taken, size int64) {
	if p.in != nil {
		return 0, 0
	}
	return min(p.taken.Load(), p.size), p.size
}

// A taking counts what is read through it.
type taking struct {
	io.Reader
	n *atomic.Int64
}

func (t taking) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	t.n.Add(int64(n))
	return n, err
}
