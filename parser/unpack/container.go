// Package unpack takes bytes out of what they are packed in: gzip, zstd, bzip2,
// xz, UTF-16, UTF-32, and the archives tar and zip, in any nesting.
//
//	Open: a stream -> its containers taken off -> text, or an Archive
//	Archive.Walk -> each Member -> Open again
//
// Everything is a stream, read once, forward, so it may come through a pipe.
// How deep things nest, what they expand to and how much memory they ask for is
// bounded. Damage of a container is reported after all that could be read has
// been handed out.
package unpack

import (
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"

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
	{"bzip2", "BZh", openBzip2},
	{"xz", xzMagic, openXz},
	{"utf-32", "\xff\xfe\x00\x00", openWide(wide{size: 4}, 4)}, // it begins with the mark of the next one
	{"utf-16", "\xff\xfe", openWide(wide{size: 2}, 2)},
	{"utf-16", "\xfe\xff", openWide(wide{size: 2, big: true}, 2)},
	{"utf-32", "\x00\x00\xfe\xff", openWide(wide{size: 4, big: true}, 4)},
}

// unmarked are containers that have no magic: text that begins with ASCII in
// units of several bytes.
var unmarked = []struct {
	container
	wide
}{
	{container{name: "utf-16", open: openWide(wide{size: 2}, 0)}, wide{size: 2}},
	{container{name: "utf-16", open: openWide(wide{size: 2, big: true}, 0)}, wide{size: 2, big: true}},
	{container{name: "utf-32", open: openWide(wide{size: 4}, 0)}, wide{size: 4}},
	{container{name: "utf-32", open: openWide(wide{size: 4, big: true}, 0)}, wide{size: 4, big: true}},
}

// containerOf returns the container that a stream with this head is packed in,
// or nil.
func containerOf(head []byte) *container {
	for i := range containers {
		if bytes.HasPrefix(head, []byte(containers[i].magic)) {
			return &containers[i]
		}
	}
	for i := range unmarked {
		if unmarked[i].begins(head) {
			return &unmarked[i].container
		}
	}
	return nil
}

// MaxLayers bounds how often a log may be packed: a .gz in a .tar.gz in a .zip
// is four layers.
const MaxLayers = 8

// A Stream is a stream that was taken out of its containers. It must be closed.
type Stream struct {
	io.Reader
	Layers  []string // the containers' names, outermost first
	Archive *Archive // that the stream is, or nil

	closers []func()
}

// Open takes r out of all containers that it is packed in. deep is how many
// layers have been taken off before. After an error, Layers says how far it
// got.
func Open(r io.Reader, deep int, x *Expansion) (Stream, error) {
	s := Stream{Reader: r}
	for {
		head, err := begin(s.Reader)
		if err != nil {
			s.Close()
			return s, err
		}
		s.Reader = io.MultiReader(bytes.NewReader(head), s.Reader)
		c := containerOf(head)
		if c == nil {
			s.Archive = archiveOf(head)
			return s, nil
		}
		if deep+len(s.Layers) == MaxLayers {
			s.Close()
			return s, ErrTooDeep
		}
		s.Layers = append(s.Layers, c.name)
		unpacked, done, err := c.open(s.Reader)
		if err != nil {
			s.Close()
			return s, damaged(c.name, err)
		}
		s.closers = append(s.closers, done)
		s.Reader = x.bound(layer{c.name, unpacked})
	}
}

// Close frees what the containers hold, innermost first. It does not close
// what Open was given.
func (s *Stream) Close() {
	for len(s.closers) > 0 {
		last := len(s.closers) - 1
		s.closers[last]()
		s.closers = s.closers[:last]
	}
}

// ErrTooDeep is the error of what is packed too often.
var ErrTooDeep = fmt.Errorf("it is packed more than %d times over", MaxLayers)

// Packed reports whether a stream that begins with head is packed in something
// that Open knows.
func Packed(head []byte) bool { return containerOf(head) != nil || archiveOf(head) != nil }

// begin reads the first bytes of a stream: as many as it takes to tell what it
// is packed in. It waits for no more, since r may be a pipe that is followed.
func begin(r io.Reader) (head []byte, err error) {
	head = make([]byte, 0, archiveHead)
	for len(head) < cap(head) && err == nil {
		var n int
		n, err = r.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		text := bytes.IndexByte(head, '\n') >= 0 && bytes.IndexByte(head, 0) < 0
		if text || len(head) >= 4 && containerOf(head) != nil {
			break // a line of text, or known
		}
	}
	if err == io.EOF || len(head) > 0 {
		err = nil // it comes again
	}
	return head, err
}

func openBzip2(r io.Reader) (io.Reader, func(), error) {
	return bzip2.NewReader(r), func() {}, nil
}

// maxWindow bounds what a container may ask its decoder to remember: level 19
// of zstd takes 8 MiB, xz -9 64 MiB.
const maxWindow = 64 << 20

func openZstd(r io.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}
