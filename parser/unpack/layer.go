package unpack

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// A layer is what stands in a container. It says in which container the bytes
// were damaged: one that is inside of others gets their errors, too.
type layer struct {
	name string
	r    io.Reader
}

func (l layer) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	return n, damaged(l.name, err)
}

// A Damage is the error of a damaged container or archive.
type Damage struct {
	name string
	err  error
}

func (e *Damage) Error() string {
	switch {
	case errors.Is(e.err, io.ErrUnexpectedEOF) || errors.Is(e.err, io.EOF):
		return fmt.Sprintf("the %s data ends too early: it is cut off", e.name)
	case errors.Is(e.err, errBomb):
		return e.err.Error()
	}
	return fmt.Sprintf("the %s data is damaged (%v)", e.name, e.err)
}

func (e *Damage) Unwrap() error { return e.err }

// damaged says that err is of the container of that name, unless it is of one
// around it.
func damaged(name string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if _, ok := errors.AsType[*Damage](err); ok {
		return err
	}
	return &Damage{name, err}
}

// An Expansion counts the bytes read of a file and those unpacked from it, to
// stop at a bomb: a file made to unpack without end.
type Expansion struct {
	in, out atomic.Int64
}

// What a file may unpack to. gzip and zip can't pack denser than 1032 to 1, and
// real logs are far from it: only what is packed several times over, or made of
// one byte by a method without such a limit, gets there.
const (
	freeExpansion = 1 << 30
	maxExpansion  = 1100
)

var errBomb = fmt.Errorf("it unpacks to more than %d times its size, as no log does; the rest was not read", maxExpansion)

// Count counts what is read of the file.
func (x *Expansion) Count(r io.Reader) io.Reader { return counter{r, &x.in} }

// bound counts what is unpacked, and ends it where it is too much.
func (x *Expansion) bound(r io.Reader) io.Reader { return bounded{r, x} }

type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

type bounded struct {
	r io.Reader
	x *Expansion
}

func (b bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	out := b.x.out.Add(int64(n))
	if out > freeExpansion && out/maxExpansion > b.x.in.Load() {
		return n, &Damage{"", errBomb}
	}
	return n, err
}
