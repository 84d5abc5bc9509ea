package parser

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/kaudit/kaudit/parser/unpack"
)

// isEmpty is why nothing is read of a file that holds nothing.
const isEmpty = "empty"

// peek looks at the beginning of what the file holds. why says why there is
// nothing to look at.
func (p *Part) peek() (head []byte, why string, err error) {
	info, err := os.Stat(p.Name)
	if err != nil {
		return nil, "", plainError(err)
	}
	if !info.Mode().IsRegular() {
		if p.Named {
			return p.peekPipe(info.Mode())
		}
		return nil, "not a regular file", nil
	}
	if info.Size() == 0 {
		return nil, isEmpty, nil
	}
	p.size = info.Size()
	file, err := os.Open(p.Name)
	if err != nil {
		return nil, "", plainError(err)
	}
	defer file.Close()
	x := new(unpack.Expansion)
	unpacked, err := unpack.Open(x.Count(file), 0, x)
	if err != nil {
		return nil, "", p.broken(err, 0)
	}
	defer unpacked.Close()
	p.archive = unpacked.Archive != nil
	p.packed = p.archive || len(unpacked.Layers) > 0
	p.container = strings.Join(unpacked.Layers, "/")
	head = make([]byte, headSize)
	n, err := io.ReadFull(&unpacked, head)
	if n == 0 && err == io.EOF {
		return nil, isEmpty, nil
	}
	return head[:n], "", nil // an error comes again when it is read
}

// peekPipe opens what is no regular file but was named, such as a named pipe:
// it can be read once only.
func (p *Part) peekPipe(mode os.FileMode) (head []byte, why string, err error) {
	if mode&os.ModeNamedPipe != 0 {
		p.in = &namedPipe{name: p.Name}
		return nil, "", nil
	}
	file, err := os.Open(p.Name)
	if err != nil {
		return nil, "", plainError(err)
	}
	p.in = file
	return nil, "", nil
}

// plainError names the file first, as other tools do, and leaves out the
// system call.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
