package unpack

import (
	"errors"
	"io"
)

// An Archive is a container of several files. It is read as a stream, once,
// forward: nothing is unpacked to a disk or kept in memory.
type Archive struct {
	Name string
	is   func(head []byte) bool
	walk func(r io.Reader, visit func(Member) error) error
}

var archives = []Archive{
	{"tar", isTar, walkTar},
	{"zip", isZip, walkZip},
}

// archiveHead is how much of a stream tells whether it is an archive.
const archiveHead = tarBlock

// archiveOf returns the archive that a stream with this head is, or nil.
func archiveOf(head []byte) *Archive {
	for i := range archives {
		if archives[i].is(head) {
			return &archives[i]
		}
	}
	return nil
}

// A Member is a file of an archive. Its reader is valid until visit returns.
type Member struct {
	Name   string // as the archive has it: hostile, it may lead anywhere
	Size   int64  // -1 if it is not known before it is read
	Reader io.Reader
	Unread string // why it can't be read; then Reader is nil
}

// ErrStop ends a walk when visit returns it.
var ErrStop = errors.New("stop")

// Walk calls visit for each file of the archive. If a file is damaged, its
// reader returns the error, and the walk goes on with the next file if that can
// be found. Damage of the archive itself is returned at the end.
func (a *Archive) Walk(r io.Reader, x *Expansion, visit func(Member) error) error {
	err := a.walk(r, func(m Member) error {
		if m.Reader != nil {
			m.Reader = x.bound(layer{a.Name, m.Reader}) // a tar may say that a file has holes of any length
		}
		return visit(m)
	})
	if errors.Is(err, ErrStop) {
		return err
	}
	return damaged(a.Name, err)
}
