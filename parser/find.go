package parser

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Stdin is the name of standard input.
const Stdin = "-"

// Inputs are the logs and other files that Find found for a user's arguments.
type Inputs struct {
	Logs   []*Log   // sorted by name
	Passed []Passed // sorted by name
	Copies []string // logs that begin with the same event as another one; see driver.Options.Dedupe
	Errors []error  // for arguments that can't be read; the others are in Logs
}

// Piped reports whether some of the logs can be read only once.
func (in *Inputs) Piped() bool {
	return slices.ContainsFunc(in.Logs, func(l *Log) bool {
		return slices.ContainsFunc(l.Parts, func(p *Part) bool { return p.in != nil })
	})
}

// Archived reports whether a log is an archive, which may hold several logs. It
// is not known of a pipe before it has been read.
func (l *Log) Archived() bool {
	return slices.ContainsFunc(l.Parts, func(p *Part) bool { return p.archive })
}

// Holds reports whether a file is one of the inputs, or one that was passed
// over, by whatever name.
func (in *Inputs) Holds(file fs.FileInfo) bool {
	same := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(info, file)
	}
	return slices.ContainsFunc(in.Logs, func(l *Log) bool {
		return slices.ContainsFunc(l.Parts, func(p *Part) bool { return p.Name != Stdin && same(p.Name) })
	}) || slices.ContainsFunc(in.Passed, func(p Passed) bool { return same(p.Name) })
}

// A Passed is a file that was passed over, and why.
type Passed struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Find resolves files, directories, patterns and Stdin into logs. Directories
// are walked, and a file that is reached several times counts once; files in
// them that are obviously no logs are passed over. It reads the beginning of
// each file.
//
// Whether a file holds audit events shows only when it is read: see Part.Named
// for what to say of one that holds none.
func Find(args []string, stdin io.Reader) *Inputs {
	f := finder{stdin: stdin, seen: map[string]string{}, prints: map[fingerprint]int{}}
	for _, arg := range args {
		f.argument(arg)
	}
	slices.SortFunc(f.in.Passed, func(a, b Passed) int { return strings.Compare(a.Name, b.Name) })
	f.in.Logs = chain(f.parts)
	f.in.Copies = Copies(f.in.Logs)
	if len(f.empty) > 0 && len(f.parts) == 0 {
		for _, name := range f.empty {
			f.in.Errors = append(f.in.Errors, fmt.Errorf("%s: is empty", name))
		}
		f.in.Passed = slices.DeleteFunc(f.in.Passed, func(p Passed) bool { return slices.Contains(f.empty, p.Name) })
	}
	return &f.in
}

type finder struct {
	stdin  io.Reader
	in     Inputs
	parts  []*Part
	empty  []string            // files without a byte that the user named
	seen   map[string]string   // real path -> name it was read by
	prints map[fingerprint]int // content -> index of the part that has it
}

func (f *finder) argument(arg string) {
	if arg == Stdin {
		if f.seen[Stdin] == "" {
			f.seen[Stdin] = Stdin
			f.parts = append(f.parts, &Part{Name: Stdin, Named: true, in: f.stdin})
		}
		return
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		f.walk(filepath.Clean(arg))
	case err == nil:
		f.file(filepath.Clean(arg), true)
	case f.memberOf(arg):
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[{"):
		f.pattern(arg)
	default:
		f.in.Errors = append(f.in.Errors, plainError(err))
	}
}

// memberOf takes in ARCHIVE!PATH: some files of an archive, by the names that
// evidence has, or by a pattern. It reports false if arg is no such name.
func (f *finder) memberOf(arg string) bool {
	name, only, ok := strings.Cut(arg, inArchive)
	if !ok || only == "" {
		return false
	}
	p := &Part{Name: filepath.Clean(name), Named: true, only: only}
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return false
	}
	if _, why, err := p.peek(); err != nil || why != "" || !p.archive {
		f.in.Errors = append(f.in.Errors, fmt.Errorf("%s: %s is no archive", arg, name))
		return true
	}
	if f.seen[arg] == "" {
		f.seen[arg] = arg
		f.parts = append(f.parts, p)
	}
	return true
}

func (f *finder) pattern(pattern string) {
	// A ** that went through links could go round in circles.
	names, err := doublestar.FilepathGlob(pattern, doublestar.WithNoFollow())
	switch {
	case err != nil:
		f.in.Errors = append(f.in.Errors, fmt.Errorf("%s: the pattern can't be read: %w", pattern, err))
	case len(names) == 0:
		f.in.Errors = append(f.in.Errors, noMatchError(pattern))
	}
	slices.Sort(names)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			f.walk(name)
		} else {
			f.file(name, true)
		}
	}
}

// walk takes in what a directory holds, in order of name.
func (f *finder) walk(dir string) {
	if !f.first(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.in.Errors = append(f.in.Errors, plainError(err))
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := os.Stat(name) // follows links
		switch {
		case err != nil:
			f.pass(name, "the link leads nowhere")
		case info.IsDir():
			f.walk(name)
		default:
			f.file(name, false)
		}
	}
}

// first reports whether a path is reached for the first time, through whatever
// links.
func (f *finder) first(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return true // opening it will say why
	}
	if _, ok := f.seen[real]; ok {
		return false
	}
	f.seen[real] = name
	return true
}

// file takes in one file.
func (f *finder) file(name string, named bool) {
	if !f.first(name) {
		return
	}
	if why := noLog(name); why != "" && !named {
		f.pass(name, why)
		return
	}
	p := &Part{Name: name, Named: named}
	head, why, err := p.peek()
	if err == nil && why == "" && !p.archive && isBinary(head) {
		if why = "no text"; named {
			err = fmt.Errorf("%s: is not text, so it is no audit log", name)
		}
	}
	switch {
	case err != nil:
		f.in.Errors = append(f.in.Errors, err)
	case why != "":
		if why == isEmpty && named {
			f.empty = append(f.empty, name)
		}
		f.pass(name, why)
	default:
		f.take(p, head)
	}
}

// take takes in a part, unless another one has the same content.
func (f *finder) take(p *Part, head []byte) {
	i, ok := f.twin(p, head)
	if !ok {
		f.parts = append(f.parts, p)
		return
	}
	kept := f.parts[i]
	if kept.packed && !p.packed {
		// What is not packed is read faster, and its end can be looked up.
		f.parts[i], p, kept = p, kept, p
	}
	f.pass(p.Name, "the same as "+kept.Name)
}

func (f *finder) pass(name, why string) { f.in.Passed = append(f.in.Passed, Passed{name, why}) }

// twin returns the index of the part with the same content as p. If there is none
// it remembers the content, since p is about to be taken in.
func (f *finder) twin(p *Part, head []byte) (i int, ok bool) {
	content, ok := p.fingerprint(head)
	if !ok {
		return 0, false
	}
	i, ok = f.prints[content]
	if !ok {
		f.prints[content] = len(f.parts)
	}
	return i, ok
}
