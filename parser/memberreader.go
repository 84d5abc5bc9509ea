package parser

import (
	"fmt"
	"io"
	"strings"

	"github.com/kaudit/kaudit/parser/unpack"
)

// A memberReader reads the members of an archive, and of archives in it, one
// after the other: they can be had in this order only.
type memberReader struct {
	reader   *Reader
	contents *contents
	top      *Part // the outermost archive
	x        *unpack.Expansion
	failed   bool // the last member could not be read to its end
}

// What ends a walk.
var (
	errClosed = fmt.Errorf("the reader was closed: %w", unpack.ErrStop)
	errFull   = fmt.Errorf("too many files: %w", unpack.ErrStop)
)

// openArchive reads a part that is an archive. It reports false if the reader
// was closed meanwhile.
func (r *Reader) openArchive(p *Part, unpacked *unpack.Stream, x *unpack.Expansion) bool {
	m := &memberReader{reader: r, contents: newContents(), top: p, x: x}
	p.mu.Lock()
	p.contents = m.contents
	p.mu.Unlock()
	return m.walk(p, unpacked) == nil
}

// walk reads the members of an archive. It returns errClosed or nothing:
// what is wrong with the archive, the part keeps. Where the last member ended too early
// and says so, so does the archive, and once is enough.
func (m *memberReader) walk(p *Part, unpacked *unpack.Stream) error {
	a := unpacked.Archive
	p.wrapIn(a.Name)
	err := a.Walk(unpacked, m.x, func(f unpack.Member) error { return m.visit(p, &f) })
	switch {
	case err == errClosed:
		return err
	case err == errFull:
		p.fail(fmt.Errorf("%s: it holds more than %d files; the rest was not read", p.Name, maxMembers))
	case err != nil && !m.failed:
		p.fail(fmt.Errorf("%s: %w; what could be unpacked was used", p.Name, err))
	}
	return nil
}

// visit reads one member.
func (m *memberReader) visit(archive *Part, f *unpack.Member) error {
	m.failed = false
	if m.contents.full() {
		return errFull
	}
	name, why := memberName(archive.Name, f.Name), f.Unread
	if !wanted(m.top.only, strings.TrimPrefix(name, m.top.Name+inArchive)) {
		return nil
	}
	switch {
	case len(f.Name) > maxMemberName:
		name, why = name[:len(archive.Name)+maxMemberName], "its name is too long"
	case f.Size == 0:
		why = isEmpty
	case noLog(name) != "":
		why = noLog(name)
	}
	name = m.contents.unique(name)
	if why != "" {
		m.contents.pass(name, why)
		return nil
	}
	layers := archive.Containers()
	return m.open(&Part{Name: name, member: true, layers: layers}, f, len(layers))
}

// open reads a member, or the members of one that is an archive itself. deep
// is how many layers are around it.
func (m *memberReader) open(p *Part, f *unpack.Member, deep int) error {
	unpacked, err := unpack.Open(f.Reader, deep, m.x)
	p.wrapIn(unpacked.Layers...)
	if err == nil && unpacked.Archive != nil && deep == unpack.MaxLayers {
		unpacked.Close()
		err = unpack.ErrTooDeep
	}
	if err != nil {
		m.contents.add(p)
		p.fail(p.broken(err, 0))
		m.failed = true
		return nil
	}
	defer unpacked.Close()
	if unpacked.Archive == nil {
		return m.read(p, f.Size, &unpacked)
	}
	if err := m.walk(p, &unpacked); err != nil {
		return err
	}
	if p.Err() != nil {
		m.contents.add(p)
	}
	return nil
}

// read hands on the chunks of a member, unless it is plainly no log.
func (m *memberReader) read(p *Part, size int64, r io.Reader) error {
	head := readHead(r)
	why := ""
	switch {
	case len(head.data) == 0 && head.err == io.EOF:
		why = isEmpty
	case isBinary(head.data):
		why = "no text"
	default:
		if twin := m.contents.twin(p, size, head.data); twin != "" {
			why = "the same as " + twin
		}
	}
	if why != "" {
		m.contents.pass(p.Name, why)
		return nil
	}
	log := m.contents.add(p)
	found := false
	look := func(c *Chunk) { found = found || p.lookFor(c, &m.contents.decoder) }
	if !m.reader.pump(p.stream(log, head, m.reader.opts, func() {}), look) {
		return errClosed
	}
	m.failed = p.Err() != nil
	return nil
}
