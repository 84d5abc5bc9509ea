package analysistest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
)

// A testCase is a txtar archive, read.
type testCase struct {
	path    string
	archive *txtar.Archive
	name    string
	events  []kept
	lines   map[place]int // of the case, by event
	wants   []want
	flags   map[string]string
	golden  *txtar.File // the section findings
}

// readCase reads the case in the file at path.
func readCase(path string) (*testCase, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	c := &testCase{
		path: path, archive: archive, name: strings.TrimSuffix(filepath.Base(path), ".txtar"),
		lines: map[place]int{}, flags: map[string]string{},
	}
	// Messages count lines as an editor does.
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	for i := range archive.Files {
		file := &archive.Files[i]
		line++ // the section's own line
		if err := c.section(file, line); err != nil {
			return nil, fmt.Errorf("%s: section %s: %w", path, file.Name, err)
		}
		line += bytes.Count(file.Data, []byte("\n"))
	}
	return c, nil
}

// section reads a section that begins on a line of the file.
func (c *testCase) section(file *txtar.File, line int) error {
	switch file.Name {
	case "log":
		return c.shorthand(string(file.Data), line)
	case "log.jsonl":
		return c.logs(map[string][]byte{defaultLog: file.Data})
	case "fixture":
		logs := map[string][]byte{}
		for name := range strings.FieldsSeq(string(file.Data)) {
			data, err := fixtures.FS.ReadFile(name)
			if err != nil {
				return err
			}
			logs[name] = data
		}
		return c.logs(logs)
	case "flags":
		return eachLine(file.Data, func(text string) error {
			option, value, ok := strings.Cut(text, "=")
			if !ok {
				return fmt.Errorf("%q: want option=value", text)
			}
			c.flags[option] = value
			return nil
		})
	case "want":
		return eachLine(file.Data, func(text string) error {
			wants, err := parseWants(0, text)
			c.wants = append(c.wants, wants...)
			return err
		})
	case "findings":
		c.golden = file
		return nil
	}
	return fmt.Errorf("there is no such section: want one of log, log.jsonl, fixture, flags, want, findings")
}

// eachLine calls do with the lines of data that are not empty.
func eachLine(data []byte, do func(string) error) error {
	for text := range strings.Lines(string(data)) {
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		if err := do(text); err != nil {
			return err
		}
	}
	return nil
}

// shorthand reads a log in the notation, the first line of which is a line of
// the file.
func (c *testCase) shorthand(text string, line int) error {
	var s shorthand
	for row := range strings.Lines(text) {
		if err := s.read(line, row); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		line++
	}
	c.wants = append(c.wants, s.wants...)
	slices.SortStableFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	logs := map[string][]byte{}
	selected := map[place]bool{}
	for _, e := range s.entries {
		at := place{e.log, int64(len(logs[e.log]))}
		c.lines[at], selected[at] = e.line, e.selected
		logs[e.log] = append(append(logs[e.log], e.raw...), '\n')
	}
	if err := c.logs(logs); err != nil {
		return err
	}
	for i := range c.events {
		e := &c.events[i]
		e.selected = selected[place{e.event.Source, e.event.Offset}]
	}
	if len(c.events) != len(s.entries) {
		return fmt.Errorf("%d of %d events can be decoded", len(c.events), len(s.entries))
	}
	return nil
}

// logs decodes logs by name.
func (c *testCase) logs(logs map[string][]byte) error {
	events, err := decode(logs)
	c.events = append(c.events, events...)
	return err
}

// decode decodes logs by name, in order of name, as one worker would.
func decode(logs map[string][]byte) ([]kept, error) {
	var all []*parser.Log
	for name, data := range logs {
		all = append(all, parser.NewLog(name, bytes.NewReader(data)))
	}
	slices.SortFunc(all, func(a, b *parser.Log) int { return strings.Compare(a.Name, b.Name) })
	reader := parser.NewReader(all, parser.Options{Ordered: true, ChunkSize: 1 << 20})
	defer reader.Close()
	var (
		events  []kept
		chunk   parser.Chunk
		decoder = parser.Decoder{OwnLog: true}
	)
	for {
		err := reader.Next(background, &chunk)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for decoder.Reset(&chunk); decoder.Next(); {
			events = append(events, keep(decoder.Event()))
		}
	}
	for _, log := range all {
		if err := log.Parts[0].Err(); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// settings returns the options that the case sets.
func (c *testCase) settings(a *analysis.Analyzer) (analysis.Settings, error) {
	settings := analysis.Settings{}
	for option, value := range c.flags {
		if err := settings.Set(a, option, value); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// span returns the times of the first and the last event.
func (c *testCase) span() (first, last audit.Time) {
	for i := range c.events {
		e := &c.events[i].event
		if first == 0 || e.Began() < first {
			first = e.Began()
		}
		last = max(last, e.At)
	}
	return first, last
}
