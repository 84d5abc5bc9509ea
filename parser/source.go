package parser

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser/unpack"
)

// A Log is what one API server wrote: a chain of rotated parts, oldest first.
type Log struct {
	Name  string // the name of the part without a rotation stamp, or of the only part
	Label string // the server that wrote it and its node, where its path tells
	Parts []*Part
}

// A Part is one file or pipe of a log, or a member of an archive.
type Part struct {
	Name  string // as the user gave it, or a directory's name and the path in it, or ARCHIVE!PATH
	Named bool   // the user gave it, or a pattern that it matches; else it was found in a directory or archive

	in     io.Reader // a pipe; nil for a file
	member bool      // it is a file of an archive
	only   string    // which members of an archive to read, a path or a pattern; empty for all

	// What Find has seen of a file.
	size      int64
	container string // what it is packed in, outermost first, separated by slashes
	packed    bool   // it is compressed, or an archive
	archive   bool   // it is an archive, compressed or not

	taken  atomic.Int64 // bytes of the file that were read
	chunks atomic.Int64 // how many there are; set when the end was reached
	ended  atomic.Bool  // the end was reached

	mu       sync.Mutex
	err      error
	format   string
	layers   []string   // what it is packed in, outermost first; an archive's own name is the last
	contents *contents  // of an archive that is being read
	opening  string     // identifies its first event; see Copies
	openedAt audit.Time // of its first event
	written  time.Time  // see lastWrite
}

// Err returns why the part could not be read to its end, or nil.
func (p *Part) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Format returns the form that the part was found to have, once reading has
// begun: "jsonl" for one value per line, or "json" for values over several
// lines.
func (p *Part) Format() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.format
}

// Containers returns what the part is packed in, outermost first, once reading
// has begun: gzip and tar and gzip for a .gz in a .tar.gz.
func (p *Part) Containers() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.layers)
}

// lastWrite returns when the file, or the archive that the part is a member of,
// was last written to; for a pipe, when lastWrite was called first.
func (p *Part) lastWrite() audit.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written.IsZero() {
		p.written = time.Now()
		name, _, _ := strings.Cut(p.Name, "!")
		if info, err := os.Stat(name); err == nil && p.in == nil {
			p.written = info.ModTime()
		}
	}
	return audit.TimeOf(p.written)
}

// Chunks returns how many chunks the part has. ok is false if its end was not
// reached.
func (p *Part) Chunks() (n int64, ok bool) { return p.chunks.Load(), p.ended.Load() }

// fail keeps the first error. os.ErrClosed is none: Reader.Close closes pipes that
// a goroutine may be waiting for.
func (p *Part) fail(err error) {
	if errors.Is(err, os.ErrClosed) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

func (p *Part) wrapIn(layers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.layers = append(p.layers, layers...)
}

// plain reports whether the part is a file that is not packed. To read it costs
// less than to have another goroutine do so.
func (p *Part) plain() bool { return p.in == nil && !p.packed }

// A stream is an open part.
type stream struct {
	log    *Log
	part   *Part
	cutter cutter
	close  func()
	heads  csvHeads
	index  int   // of the next chunk
	lines  int64 // lines before the next chunk
	ended  bool
	mu     sync.Mutex // held by the worker that reads the next chunk
}

// raw opens the file or pipe.
func (p *Part) raw() (r io.Reader, close func(), err error) {
	if p.in != nil {
		return p.in, func() {}, nil
	}
	file, err := os.Open(p.Name)
	if err != nil {
		return nil, nil, plainError(err)
	}
	return taking{file, &p.taken}, func() { file.Close() }, nil
}

// open opens a part that is no archive for reading. It returns nil after an
// error, which the part keeps.
func (p *Part) open(log *Log, opts Options) *stream {
	raw, closeRaw, err := p.raw()
	if err != nil {
		p.fail(err)
		return nil
	}
	x := new(unpack.Expansion)
	unpacked, err := unpack.Open(x.Count(raw), 0, x)
	p.wrapIn(unpacked.Layers...)
	if err != nil {
		closeRaw()
		p.fail(p.broken(err, 0))
		return nil
	}
	return p.stream(log, readHead(&unpacked), opts, func() { unpacked.Close(); closeRaw() })
}

// stream cuts what begins with head. close is called at its end.
func (p *Part) stream(log *Log, h beginning, opts Options, close func()) *stream {
	s := &stream{log: log, part: p, close: close}
	var format string
	s.cutter, format = newCutter(h, opts)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.format = format
	return s
}

// next fills c with the stream's next chunk. ok is false at the end. The part
// keeps the error if the stream ended too early.
func (s *stream) next(c *Chunk) (ok bool) {
	err := s.cutter.next(c)
	if err != nil {
		if err != io.EOF {
			s.part.fail(s.part.broken(err, c.Offset))
		}
		s.part.chunks.Store(int64(s.index))
		s.part.ended.Store(true)
		s.close()
		return false
	}
	c.Log, c.Part, c.Index = s.log, s.part, s.index
	s.heads.note(c)
	c.before, s.lines = s.lines, s.lines+c.allLines()
	s.index++
	return true
}

// broken returns the error for a part that could be read only up to an offset.
func (p *Part) broken(err error, offset int64) error {
	if _, ok := errors.AsType[*unpack.Damage](err); ok {
		return fmt.Errorf("%s: %w; %d bytes could be unpacked and were used", p.Name, err, offset)
	}
	return fmt.Errorf("%s: %w; %d bytes were read and used", p.Name, err, offset)
}

// failing is a reader at the end of a stream: it returns what that ended with.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// NewLog returns a log of one part that is read from r, packed or not.
func NewLog(name string, r io.Reader) *Log {
	return &Log{Name: name, Parts: []*Part{{Name: name, Named: true, in: r}}}
}
