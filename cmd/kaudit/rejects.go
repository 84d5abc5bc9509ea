package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/parser"
)

// A rejectsFile is the file of --rejects. A nil one stands for no such flag.
type rejectsFile struct {
	file *os.File
	out  *bufio.Writer
}

func (f *inputFlags) registerRejects(fs *pflag.FlagSet) {
	fs.Var(given{&f.rejects}, "rejects", "write lines that are not audit events to `FILE`, unchanged; logs are then read one after another")
}

// openRejects creates the file of --rejects, or returns nil without the flag. It
// refuses to overwrite an input.
func (f *inputFlags) openRejects(inputs *parser.Inputs) (*rejectsFile, error) {
	switch f.rejects {
	case "":
		return nil, nil
	case parser.Stdin:
		return nil, hinted(usagef("--rejects -: standard output is for the answer"), "name a file, such as /dev/stderr")
	}
	if info, err := os.Stat(f.rejects); err == nil && inputs.Holds(info) {
		return nil, usagef("--rejects %s: it is one of the inputs, and would be overwritten", f.rejects)
	}
	file, err := os.Create(f.rejects)
	if err != nil {
		return nil, fmt.Errorf("--rejects: %w", err)
	}
	return &rejectsFile{file, bufio.NewWriterSize(file, 64<<10)}, nil
}

// writer returns where the lines go, or nil if nowhere.
func (r *rejectsFile) writer() io.Writer {
	if r == nil {
		return nil
	}
	return r.out
}

// close writes what is left.
func (r *rejectsFile) close() error {
	if r == nil {
		return nil
	}
	if err := errors.Join(r.out.Flush(), r.file.Close()); err != nil {
		return fmt.Errorf("write what was refused: %w", err)
	}
	return nil
}
