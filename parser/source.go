package parser

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// A Log is what one API server wrote: a chain of rotated parts, oldest first.
type Log struct {
	Name  string // of the part without a stamp, or of the only part
	Parts []*Part
}

// A Part is one file or pipe of a log.
type Part struct {
	Name  string // as the user gave it, or the directory's name and the path in it
	Named bool   // the user named it, or a pattern that it matches; it was not found in a directory

	in        io.Reader // a pipe; nil for a file
	container *container
	size      int64 // of the file

	mu     sync.Mutex
	err    error
	format string
}

// Err returns why the part could not be read to its end, or nil.
func (p *Part) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Format returns the name of the form that the part was found to have, once
// reading has begun: "jsonl", or "json" for values over several lines.
func (p *Part) Format() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.format
}

func (p *Part) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// plain reports whether the part is a file that can be read as it is: reading
// it costs less than handing it to another goroutine.
func (p *Part) plain() bool { return p.in == nil && p.container == nil }

// A stream is an open part.
type stream struct {
	log    *Log
	part   *Part
	cutter cutter
	close  func()
	index  int
	ended  bool
	mu     sync.Mutex // held by the worker that reads the next chunk
}

// open opens the part for reading. It returns nil after an error, which the
// part keeps.
func (p *Part) open(log *Log, opts Options) *stream {
	raw, closeRaw := p.in, func() {}
	if raw == nil {
		file, err := os.Open(p.Name)
		if err != nil {
			p.fail(err)
			return nil
		}
		raw, closeRaw = file, func() { file.Close() }
	}
	unpacked, closeUnpacked, err := unpack(raw, p)
	if err != nil {
		closeRaw()
		p.fail(p.broken(err, 0))
		return nil
	}
	head, document, err := readHead(unpacked)
	rest := unpacked
	if err != nil {
		rest = failing{err}
	}
	s := &stream{log: log, part: p, close: func() { closeUnpacked(); closeRaw() }}
	var format string
	s.cutter, format = newCutter(head, document, rest, opts)
	p.mu.Lock()
	p.format = format
	p.mu.Unlock()
	return s
}

// next fills c with the stream's next chunk. ok is false at the end; what
// ended it before its time is kept in the part.
func (s *stream) next(c *Chunk) (ok bool) {
	err := s.cutter.next(c)
	if err != nil {
		if err != io.EOF {
			s.part.fail(s.part.broken(err, c.Offset))
		}
		s.close()
		return false
	}
	c.Log, c.Part, c.Index = s.log, s.part, s.index
	s.index++
	return true
}

// broken says what is wrong with a part that could be read up to an offset.
func (p *Part) broken(err error, offset int64) error {
	if p.container != nil && err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: the %s data ends too early: the file is cut off; %d bytes could be unpacked and were used", p.Name, p.container.name, offset)
	}
	if p.container != nil {
		return fmt.Errorf("%s: the %s data is damaged (%w); %d bytes could be unpacked and were used", p.Name, p.container.name, err, offset)
	}
	return fmt.Errorf("%s: %w; %d bytes were read and used", p.Name, err, offset)
}

// failing is the rest of a stream that has ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// NewLog returns a log of one part that is read from r, packed or not: what
// is in memory, or comes from a pipe.
func NewLog(name string, r io.Reader) *Log {
	return &Log{Name: name, Parts: []*Part{{Name: name, Named: true, in: r}}}
}
