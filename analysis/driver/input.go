package driver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// An Input says what was read.
type Input struct {
	Events, Lines, Bytes int64
	Requests, OwnLines   int64            // of API servers' and kubelets' own logs
	First, Last          audit.Time       // the earliest and the latest stageTimestamp
	Skipped              map[string]int64 // records that are no audit events, by kind
	Refused              []Refused        // where the first few of each kind stand
	Selected             *int64           // events that Select chose; nil without Select
	Duplicates           *int64           // events that were dropped as copies; nil if not looked for
	OutOfOrder           int64            // events earlier than the one before them in their log
	Sources              []Source
	Passed               []parser.Passed // files of directories and archives that hold no audit event
	Overlaps             []Overlap       // without Dedupe: logs that begin within another one
	Copies               []string        // without Dedupe: logs that begin as another one does
	Errors               []error
}

// A Source is one file or pipe, or a member of an archive. Its counts are as in Input.
type Source struct {
	Name, Log, Format    string
	Label                string   // the server that wrote it and its node, by its path, or the labels of its lines
	Containers           []string // what it is packed in, outermost first
	Events, Lines, Bytes int64
	Nuls                 int64 // NUL bytes between its lines
	Requests, OwnLines   int64
	Skipped              map[string]int64
	Examples             []Refused // with Options.Examples: the first of each kind
	Err                  error     // why it was not read to its end, or nil

	looks parser.Shapes // what its refused records look like
}

// newInput sums up what was read of the logs.
func newInput(logs []*parser.Log, parts map[*parser.Part]*work, partial bool) Input {
	in := Input{Skipped: map[string]int64{}}
	var total work
	for _, log := range logs {
		order := disorder{}
		for _, part := range log.Parts {
			done := parts[part]
			if done == nil {
				done = new(work)
			}
			total.addEvents(done.events, done.first, done.last)
			in.OutOfOrder += done.outOfOrder + order.between(done.read)
			in.addSource(newSource(log, part, done), part, partial)
		}
	}
	in.Events, in.First, in.Last = total.events, total.first, total.last
	return in
}

// A disorder counts events that are earlier than the one before them, if that one
// stands in another run or part.
type disorder struct {
	last audit.Time
	any  bool
}

func (d *disorder) between(read runs) (n int64) {
	for i := range read {
		c := &read[i]
		if c.empty {
			continue
		}
		if d.any && c.firstAt < d.last {
			n++
		}
		d.last, d.any = c.lastAt, true
	}
	return n
}

func newSource(log *parser.Log, part *parser.Part, done *work) Source {
	src := Source{
		Name: part.Name, Log: log.Name, Label: log.Label, Err: part.Err(),
		Format: done.shapes.Format(part.Format()), Containers: part.Containers(),
		Events: done.events, Lines: done.lines, Bytes: done.bytes, Nuls: done.nuls, Skipped: map[string]int64{}, looks: done.looks,
		Requests: done.requests, OwnLines: done.ownLines,
	}
	for _, kind := range parser.Kinds() {
		if n := done.skipped[kind]; n > 0 {
			src.Skipped[kind.String()] = n
		}
	}
	return src
}

// maxLabels is how many labels a source names.
const maxLabels = 10

// label gives sources without a label the labels of their lines, by file.
func (in *Input) label(byFile map[string][]string) {
	for i := range in.Sources {
		src := &in.Sources[i]
		labels := byFile[src.Log]
		if src.Label != "" || len(labels) == 0 {
			continue
		}
		src.Label = strings.Join(labels[:min(len(labels), maxLabels)], ", ")
		if more := len(labels) - maxLabels; more > 0 {
			src.Label += fmt.Sprintf(" and %d more", more)
		}
	}
}

// addSource adds a source. One without an audit event is an error if the user named it,
// and counts as passed over if it was found in a directory. After a partial run that is
// not known.
func (in *Input) addSource(src Source, part *parser.Part, partial bool) {
	if src.Err != nil {
		in.Errors = append(in.Errors, src.Err)
	}
	if src.empty() && src.Err == nil && !partial {
		if !part.Named {
			in.Passed = append(in.Passed, parser.Passed{Name: part.Name, Why: src.lacks()})
			return
		}
		in.Errors = append(in.Errors, src.lackError())
	}
	in.Lines += src.Lines
	in.Bytes += src.Bytes
	in.Requests += src.Requests
	in.OwnLines += src.OwnLines
	for kind, n := range src.Skipped {
		in.Skipped[kind] += n
	}
	in.Sources = append(in.Sources, src)
}

// empty reports whether nothing in the source is of use.
func (s *Source) empty() bool { return s.Events == 0 && s.Requests == 0 && s.OwnLines == 0 }

// lacks says that a source has no audit event, and what it looks like.
func (s *Source) lacks() string {
	if look := s.looks.Look(); look != "" {
		return "no audit event in it; it looks like " + look
	}
	return "no audit event in it"
}

// lackError is the error of a source without an audit event that the user named.
func (s *Source) lackError() error {
	switch {
	case s.Bytes == 0 && s.Name == parser.Stdin:
		return errors.New("standard input is empty")
	case s.Bytes == 0:
		return fmt.Errorf("%s: is empty", s.Name)
	}
	return fmt.Errorf("%s: %s", s.Name, s.lacks())
}

func (in *Input) join(o *Input) {
	if o.Events > 0 && (in.Events == 0 || o.First < in.First) {
		in.First = o.First
	}
	in.Last = max(in.Last, o.Last)
	in.Events += o.Events
	in.Lines += o.Lines
	in.Bytes += o.Bytes
	in.Requests += o.Requests
	in.OwnLines += o.OwnLines
	in.OutOfOrder += o.OutOfOrder
	for kind, n := range o.Skipped {
		in.Skipped[kind] += n
	}
	if o.Selected != nil {
		if in.Selected == nil {
			in.Selected = new(int64)
		}
		*in.Selected += *o.Selected
	}
	in.Refused = append(in.Refused, o.Refused...)
	in.Sources = append(in.Sources, o.Sources...)
	in.Passed = append(in.Passed, o.Passed...)
	in.Copies = append(in.Copies, o.Copies...)
	in.Overlaps = append(in.Overlaps, o.Overlaps...)
	in.Errors = append(in.Errors, o.Errors...)
}

// addArchive adds the errors of an archive itself. Its members are sources like others.
func (in *Input) addArchive(a *parser.Archive, parts map[*parser.Part]*work, partial bool) {
	if err := a.Part.Err(); err != nil {
		in.Errors = append(in.Errors, err)
	}
	in.Passed = append(in.Passed, a.Passed...)
	if a.Part.Named && !partial && a.Part.Err() == nil && !holdsEvents(a, parts) {
		in.Errors = append(in.Errors, fmt.Errorf("%s: no audit event in any of its files", a.Part.Name))
	}
}

func holdsEvents(a *parser.Archive, parts map[*parser.Part]*work) bool {
	for _, log := range a.Logs {
		for _, part := range log.Parts {
			if done := parts[part]; done != nil && done.events > 0 || part.Err() != nil {
				return true
			}
		}
	}
	return false
}
