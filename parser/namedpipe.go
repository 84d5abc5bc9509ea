package parser

import (
	"io"
	"os"
	"sync"
)

// A namedPipe is opened when it is read first: until somebody writes to it,
// opening waits, and so must only those who read it.
type namedPipe struct {
	name string

	mu     sync.Mutex
	file   *os.File
	closed bool
}

func (p *namedPipe) Read(b []byte) (int, error) {
	file, err := p.open()
	if err != nil {
		return 0, err
	}
	return file.Read(b)
}

// open returns the open pipe. It is for one goroutine, beside which Close may be
// called.
func (p *namedPipe) open() (*os.File, error) {
	p.mu.Lock()
	file, closed := p.file, p.closed
	p.mu.Unlock()
	if closed {
		return nil, io.ErrClosedPipe
	}
	if file != nil {
		return file, nil
	}
	file, err := os.Open(p.name)
	if err != nil {
		return nil, plainError(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		file.Close()
		return nil, io.ErrClosedPipe
	}
	p.file = file
	return file, nil
}

// Close ends a Read that waits for data. A Read that waits for a writer to open
// the pipe goes on waiting.
func (p *namedPipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}
