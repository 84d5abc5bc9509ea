package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// A formatsRun is one run of "kaudit formats".
type formatsRun struct {
	inputFlags
	output         *choice
	stdin          io.Reader
	stdout, stderr io.Writer
}

func newFormats() *cobra.Command {
	f := &formatsRun{inputFlags: newInputFlags(), output: newChoice("table", "table", "json", "yaml")}
	cmd := &cobra.Command{
		Use:   "formats [FLAGS] [FILE|DIR|GLOB|-]...",
		Short: "say what each input is, how many events it holds, and what is refused",
		Long: `kaudit formats says for each input how it is compressed or archived, what form
its events come in, how many there are of each level and version, and which
lines are refused: how many, why, and one example without what may be secret.`,
		Example: `kaudit formats audit.log
kaudit formats must-gather.tar.gz -o json
kubectl logs -n kube-system kube-apiserver-cp1 | kaudit formats --rejects other-lines.log`,
		Annotations: exits(readExits),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.stdin, f.stdout, f.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := f.prepare(cmd, args); err != nil {
				return err
			}
			return f.run(cmd.Context(), args)
		},
	}
	cmd.Flags().SortFlags = false
	f.register(cmd)
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		fs.VarP(f.output, "output", "o", f.output.usage("how to print it"))
		f.registerRejects(fs)
		f.registerQuiet(fs, "no progress: the answer and errors only")
	})
	completeChoice(cmd, "output", f.output)
	return cmd
}

// A formatsList is what "kaudit formats -o json" prints. docs/formats.schema.json
// describes it.
type formatsList struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Files      []fileFormat    `json:"files"`
	Passed     []report.Passed `json:"passed"`
	Errors     []string        `json:"errors"`
}

// A fileFormat says what one input is.
type fileFormat struct {
	Name      string           `json:"name"`
	Log       string           `json:"log"`
	Label     string           `json:"label"`
	Container string           `json:"container"`
	Format    string           `json:"format"`
	Events    int64            `json:"events"`
	Requests  int64            `json:"requests"` // of an API server's own log
	OwnLines  int64            `json:"ownLines"`
	Lines     int64            `json:"lines"`
	Bytes     int64            `json:"bytes"`
	Levels    map[string]int64 `json:"levels"`
	Versions  map[string]int64 `json:"versions"`
	Refused   []refusedKind    `json:"refused"`
	Error     string           `json:"error"`
}

// A refusedKind is the refused lines of one kind in one input.
type refusedKind struct {
	Kind    string `json:"kind"`
	Count   int64  `json:"count"`
	Line    int    `json:"line"` // of the first
	Why     string `json:"why"`
	Example string `json:"example"` // of the first, redacted
}

func (f *formatsRun) run(ctx context.Context, args []string) (err error) {
	if len(args) == 0 {
		args = []string{parser.Stdin}
	}
	inputs := parser.Find(args, f.stdin)
	rejects, err := f.openRejects(inputs)
	if err != nil {
		return err
	}
	var kinds []*eventKinds
	meter := newMeter(f.stderr, f.quiet, inputs.Logs)
	result := driver.Run(ctx, inputs.Logs, driver.Options{
		Workers: int(f.workers), Parser: f.parserOptions(), Rejects: rejects.writer(), Examples: true, Progress: meter.show,
		OwnLog: true, Observe: func() func(*audit.Event) {
			k := &eventKinds{counts: map[string]*kindCounts{}}
			kinds = append(kinds, k)
			return k.observe
		},
	})
	meter.clear()
	list := newFormatsList(inputs, &result.Input, kinds)
	if f.output.value == "table" {
		err = list.print(f.stdout, textWidth(f.stdout))
	} else {
		err = printValue(f.stdout, f.output.value, list)
	}
	failures := append(inputs.Errors, result.Input.Errors...)
	switch in := &result.Input; {
	case result.Partial || ctx.Err() != nil:
		failures = append(failures, errInterrupted)
	case in.Events+in.Requests+in.OwnLines == 0 && len(failures) == 0:
		failures = append(failures, noLog(args, append(inputs.Passed, in.Passed...)))
	}
	return errors.Join(append(failures, rejects.close(), err)...)
}

// eventKinds counts events of each source by level and version. It is a
// worker's.
type eventKinds struct {
	counts map[string]*kindCounts
	source string
	last   *kindCounts
}

// kindCounts are the events of one source by level and by version.
type kindCounts struct{ levels, versions map[string]int64 }

func (k *eventKinds) observe(e *audit.Event) {
	if e.Origin != audit.OriginAudit {
		return
	}
	if k.last == nil || k.source != e.Source {
		if k.source = e.Source; k.counts[e.Source] == nil {
			k.counts[e.Source] = &kindCounts{map[string]int64{}, map[string]int64{}}
		}
		k.last = k.counts[e.Source]
	}
	k.last.levels[cmp.Or(e.Level.String(), "none")]++
	k.last.versions[versionOf(e)]++
}

// versionOf returns the version of the audit API that an event was written in,
// or "none": items of a list have none, nor have the formats of clouds and the
// legacy one.
func versionOf(e *audit.Event) string {
	const mark = `audit.k8s.io/`
	head := string(e.Raw[:min(len(e.Raw), 200)])
	_, rest, ok := strings.Cut(head, mark)
	version, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed || !slices.Contains([]string{"v1", "v1beta1", "v1alpha1"}, version) {
		return "none"
	}
	return version
}

// newFormatsList sums up what the run found and what the workers counted.
func newFormatsList(inputs *parser.Inputs, in *driver.Input, kinds []*eventKinds) *formatsList {
	list := &formatsList{APIVersion: report.APIVersion, Kind: "Formats", Files: []fileFormat{}, Passed: []report.Passed{}, Errors: []string{}}
	for i := range in.Sources {
		list.Files = append(list.Files, newFileFormat(&in.Sources[i], kinds))
	}
	slices.SortFunc(list.Files, func(a, b fileFormat) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range append(inputs.Passed, in.Passed...) {
		list.Passed = append(list.Passed, report.Passed(p))
	}
	for _, err := range append(inputs.Errors, in.Errors...) {
		list.Errors = append(list.Errors, err.Error())
	}
	return list
}

func newFileFormat(s *driver.Source, kinds []*eventKinds) fileFormat {
	f := fileFormat{
		Name: s.Name, Log: s.Log, Label: s.Label, Container: strings.Join(s.Containers, "/"), Format: s.Format,
		Events: s.Events, Requests: s.Requests, OwnLines: s.OwnLines, Lines: s.Lines, Bytes: s.Bytes,
		Levels: map[string]int64{}, Versions: map[string]int64{}, Refused: []refusedKind{},
	}
	if s.Err != nil {
		f.Error = s.Err.Error()
	}
	for _, k := range kinds {
		if c := k.counts[s.Name]; c != nil {
			addCounts(f.Levels, c.levels)
			addCounts(f.Versions, c.versions)
		}
	}
	for _, e := range s.Examples {
		f.Refused = append(f.Refused, refusedKind{e.Kind, s.Skipped[e.Kind], e.Line, e.Why, example(&e)})
	}
	return f
}

// example shows what a refused record looks like. A torn record may begin in
// the middle of a secret, so it is shown only from its first brace on.
func example(r *driver.Refused) string {
	if r.Kind != parser.Malformed.String() || strings.HasPrefix(r.Text, "{") {
		return redact(r.Text)
	}
	if i := strings.IndexByte(r.Text, '{'); i >= 0 {
		return "…" + redact(r.Text[i:])
	}
	return "…"
}

func addCounts(to, from map[string]int64) {
	for name, n := range from {
		to[name] += n
	}
}

// print writes a paragraph for each file, then what was passed over.
func (l *formatsList) print(w io.Writer, width int) error {
	var b strings.Builder
	for i := range l.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		l.Files[i].print(&b, width)
	}
	for i, p := range l.Passed {
		if i == 0 && len(l.Files) > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "passed over: %s: %s\n", report.Clean(p.Name), report.Clean(p.Why))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *fileFormat) print(b *strings.Builder, width int) {
	row := func(name, text string) {
		if text != "" {
			b.WriteString(fill(text, fmt.Sprintf("  %-10s ", name), strings.Repeat(" ", 13), width))
		}
	}
	fmt.Fprintln(b, report.Clean(f.Name))
	row("of", f.Label)
	row("packed in", strings.ReplaceAll(f.Container, "/", ", then "))
	row("format", f.Format)
	row("events", fmt.Sprintf("%d in %d lines, %d bytes", f.Events, f.Lines, f.Bytes))
	if f.Requests+f.OwnLines > 0 {
		row("own log", fmt.Sprintf("%d requests (httplog), %d lines on what went wrong", f.Requests, f.OwnLines))
	}
	row("levels", countList(f.Levels))
	row("versions", countList(f.Versions))
	for _, r := range f.Refused {
		row("refused", fmt.Sprintf("%d %s, the first in line %d: %s", r.Count, r.Kind, r.Line, r.Why))
		row("", r.Example)
	}
	row("error", report.Clean(f.Error))
}

// countList writes counts as "Metadata 3, Request 1", the most first.
func countList(counts map[string]int64) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
