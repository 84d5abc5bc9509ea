package parser

import (
	"crypto/sha256"
	"fmt"
	slashpath "path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// The bounds of an archive, which may be made to exhaust memory. A must-gather of
// a large cluster has tens of thousands of files.
const (
	maxMembers    = 200_000
	maxMemberName = 1024
	maxPassed     = 1000 // that are listed, of one archive
)

// inArchive stands between the names of an archive and a member.
const inArchive = "!"

// wanted reports whether a member is to be read, or may hold one that is. path
// is the member's, from the outermost archive on.
func wanted(only, path string) bool {
	if only == "" || path == only || strings.HasPrefix(only, path+inArchive) || strings.HasPrefix(path, only+"/") || strings.HasPrefix(path, only+inArchive) {
		return true
	}
	folders := strings.NewReplacer(inArchive, "/") // ** goes from one archive into another
	match, err := doublestar.Match(folders.Replace(only), folders.Replace(path))
	return match && err == nil
}

// memberName returns the name of a member of an archive, ARCHIVE!PATH. Elements
// of the path that would lead out of the archive are dropped.
func memberName(archive, name string) string {
	name = strings.ReplaceAll(name, `\`, "/") // as some zips of Windows have it
	return archive + inArchive + strings.TrimPrefix(slashpath.Clean("/"+name), "/")
}

// A contents is what was found in an archive so far. The goroutine that reads
// the archive adds to it; others may look at any time.
type contents struct {
	mu     sync.Mutex
	logs   map[string]*Log
	parts  int
	passed []Passed
	more   int // that were passed over and are not in passed

	names   map[string]int
	prints  map[[sha256.Size]byte]string
	decoder Decoder // looks for the first event of each part
}

func newContents() *contents {
	return &contents{logs: map[string]*Log{}, names: map[string]int{}, prints: map[[sha256.Size]byte]string{}}
}

// unique returns a name that no other member has. An archive may hold several
// versions of a file.
func (c *contents) unique(name string) string {
	c.names[name]++
	if n := c.names[name]; n > 1 {
		return fmt.Sprintf("%s(%d)", name, n)
	}
	return name
}

func (c *contents) pass(name, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.passed) == maxPassed {
		c.more++
		return
	}
	c.passed = append(c.passed, Passed{name, why})
}

// add takes in a part and returns the log that it belongs to: the one that its
// name has without the stamp of rotation.
func (c *contents) add(p *Part) *Log {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _ := splitStamp(p.Name)
	log := c.logs[name]
	if log == nil {
		log = &Log{Name: name, Label: origin(name)}
		c.logs[name] = log
	}
	log.Parts = append(log.Parts, p)
	c.parts++
	return log
}

func (c *contents) full() bool { return c.parts >= maxMembers }

// twin returns the name of a member that begins as this one, is packed as it,
// and has its length.
func (c *contents) twin(p *Part, size int64, head []byte) string {
	if size < 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, size, p.layers)
	h.Write(head)
	sum := [sha256.Size]byte(h.Sum(nil))
	name, ok := c.prints[sum]
	if !ok {
		c.prints[sum] = p.Name
	}
	return name
}

// found returns the logs found so far, as they are now, and what was passed
// over.
func (c *contents) found(archive string) (logs []*Log, passed []Passed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, log := range c.logs {
		log := &Log{Name: log.Name, Label: log.Label, Parts: slices.Clone(log.Parts)}
		slices.SortStableFunc(log.Parts, oldestFirst)
		logs = append(logs, log)
	}
	passed = slices.Clone(c.passed)
	if c.more > 0 {
		passed = append(passed, Passed{archive, fmt.Sprintf("%d more files in it were passed over", c.more)})
	}
	return logs, passed
}

// Expand returns the logs that were read, after they were: in place of an archive,
// the logs found in it. archives holds the archives themselves. Before they are
// read, archives are not distinguished from logs.
func Expand(given []*Log) (logs []*Log, archives []*Archive) {
	for _, log := range given {
		kept := &Log{Name: log.Name, Label: log.Label}
		for _, part := range log.Parts {
			found, passed, ok := part.found()
			if !ok {
				kept.Parts = append(kept.Parts, part)
				continue
			}
			logs = append(logs, found...)
			archives = append(archives, &Archive{part, found, passed})
		}
		switch {
		case len(kept.Parts) == len(log.Parts):
			logs = append(logs, log)
		case len(kept.Parts) > 0:
			logs = append(logs, kept)
		}
	}
	slices.SortFunc(logs, func(a, b *Log) int { return strings.Compare(a.Name, b.Name) })
	return logs, archives
}

// An Archive is an input that holds others.
type Archive struct {
	Part   *Part
	Logs   []*Log
	Passed []Passed
}

// found returns what was found in the part. ok is false if it is no archive.
func (p *Part) found() (logs []*Log, passed []Passed, ok bool) {
	p.mu.Lock()
	c := p.contents
	p.mu.Unlock()
	if c == nil {
		return nil, nil, false
	}
	logs, passed = c.found(p.Name)
	return logs, passed, true
}
