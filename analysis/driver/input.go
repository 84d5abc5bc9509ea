package driver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// An Input says what was read.
type Input struct {
	Events, Lines, Bytes int64
	Requests, OwnLines   int64 // what the own logs of API servers and kubelets tell of
	First, Last          audit.Time
	Skipped              map[string]int64 // what is no audit event, by kind
	Refused              []Refused        // where the first of these stand
	Selected             *int64           // that the analyzers saw; nil: all
	Duplicates           *int64           // nil: not looked for
	OutOfOrder           int64
	Sources              []Source
	Passed               []parser.Passed // files in directories and archives that hold no audit event
	Overlaps             []Overlap       // logs that begin within another one, if Dedupe was not asked for
	Copies               []string        // logs that begin with the same event as another one, if Dedupe was not asked for
	Errors               []error
}

// A Source is one file or pipe, or a member of an archive.
type Source struct {
	Name, Log, Format    string
	Label                string   // the server that wrote it and its node, where its path tells; or the labels of its log's lines
	Containers           []string // what it is packed in, outermost first
	Events, Lines, Bytes int64
	Nuls                 int64 // NUL bytes between its lines
	Requests, OwnLines   int64
	Skipped              map[string]int64
	Examples             []Refused // the first of each kind; for Options.Examples only
	Err                  error

	looks parser.Shapes // what it holds that is no event
}

// result merges what the workers have.
func (s *shared) result(logs []*parser.Log, workers []*worker) *Result {
	r := new(Result)
	for _, w := range workers {
		r.Partial = r.Partial || w.err != nil
	}
	if r.Partial {
		leaveHoles(s.shard.Facts(), logs, s.parts)
	}
	s.conclude(r)
	logs, archives := parser.Expand(logs)
	r.Input = newInput(logs, s.parts, r.Partial)
	r.Input.label(r.Facts.LogLabels())
	for _, a := range archives {
		r.Input.addArchive(a, s.parts, r.Partial)
	}
	r.Input.Overlaps = overlapsOf(workers)
	if s.dedupe == nil && !r.Partial {
		r.Input.Copies = parser.Copies(logs)
	}
	if s.dedupe != nil {
		r.Input.Duplicates = &s.dedupe.dropped
		r.Input.Events -= s.dedupe.dropped
	}
	if s.options.Select != nil {
		r.Input.Selected = new(int64)
		for _, w := range workers {
			*r.Input.Selected += w.selected
		}
	}
	s.addRefused(r, workers)
	return r
}

// conclude makes findings of what the shard has seen.
func (s *shared) conclude(r *Result) {
	shard := s.shard
	shard.Settle()
	r.Facts, r.Blind, r.Overflow = shard.Facts(), shard.Blind(), shard.Overflow()
	findings, more, whole := shard.Conclude(s.options.Settings, s.late.Load)
	r.Findings, r.Partial = findings, r.Partial || !whole
	for name, n := range more {
		r.Overflow[name] += n
	}
	for i := range r.Findings {
		evidence := r.Findings[i].Evidence
		for j := range evidence {
			evidence[j].Line++ // from 1
		}
	}
}

// addRefused says what was refused.
func (s *shared) addRefused(r *Result, workers []*worker) {
	var all []refused
	for _, w := range workers {
		all = append(all, w.refused...)
	}
	for _, f := range firstRefused(all) {
		r.Input.Refused = append(r.Input.Refused, f.shown())
	}
	if s.options.Examples {
		r.addExamples(joinExamples(workers))
	}
	if s.rejects != nil && s.rejects.err != nil {
		r.Input.Errors = append(r.Input.Errors, fmt.Errorf("write what was refused: %w", s.rejects.err))
	}
}

func (f *refused) shown() Refused {
	return Refused{Source: f.part.Name, Line: f.at.Line + 1, Kind: f.at.Kind.String(), Why: f.at.Why, Text: f.text}
}

// addExamples gives sources the examples of what was refused of them.
func (r *Result) addExamples(all map[exampleKey]refused) {
	byName := map[string][]refused{}
	for _, e := range all {
		byName[e.part.Name] = append(byName[e.part.Name], e)
	}
	for i := range r.Input.Sources {
		s := &r.Input.Sources[i]
		examples := byName[s.Name]
		slices.SortFunc(examples, refused.compare)
		for _, e := range examples {
			s.Examples = append(s.Examples, e.shown())
		}
	}
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

// A disorder counts events that are earlier than the one before them, where
// that one stands in the run or part before.
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

// label gives sources without a label those that their lines have, by file.
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

// addSource decides what a source was: one that holds no audit event is an
// error if it was named, and passed over if it was found in a directory. Of a
// partial run nobody knows.
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

// lacks says what an empty source is without, and what it looks like.
func (s *Source) lacks() string {
	if look := s.looks.Look(); look != "" {
		return "no audit event in it; it looks like " + look
	}
	return "no audit event in it"
}

// lackError says it of one that was named.
func (s *Source) lackError() error {
	switch {
	case s.Bytes == 0 && s.Name == parser.Stdin:
		return errors.New("standard input is empty")
	case s.Bytes == 0:
		return fmt.Errorf("%s: is empty", s.Name)
	}
	return fmt.Errorf("%s: %s", s.Name, s.lacks())
}

// joinResults sums up runs that read different logs.
func joinResults(results []*Result) *Result {
	all := &Result{Input: Input{Skipped: map[string]int64{}}}
	for _, r := range results {
		all.Partial = all.Partial || r.Partial
		all.Input.join(&r.Input)
	}
	return all
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

// addArchive adds what is to be said of an archive beside its members, which
// are sources like others.
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
