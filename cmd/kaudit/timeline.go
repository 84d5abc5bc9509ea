package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/query/timeline"
)

// A story is one run of "kaudit timeline".
type story struct {
	reading
	output        *choice
	node, finding string
	all           bool
	limit         int

	picker timeline.Picker
	about  string       // the subject, as the timeline's first line names it
	zero   audit.Time   // what offsets count from; 0 is the first line
	zeroIs string       // what happened at zero
	told   findingStory // of --finding
	sought *sought      // the object or node, to say why nothing was found; may be nil
}

func newTimeline() *cobra.Command {
	s := &story{output: newChoice("text", "text", "json", "yaml")}
	cmd := &cobra.Command{
		Use:   "timeline [FLAGS] [KIND/NAME] [FILE|DIR|GLOB|-]...",
		Short: "tell what happened to an object, to a node, by a user or around a finding",
		Long: `kaudit timeline tells a story in order of time, over all logs. It is about one
of these: an object and what belongs to it (the replica sets and pods of a
deployment, the endpoints of a service), all objects that a name with a *
matches, a node's kubelet, the events that the flags choose, or a finding of
kaudit scan. Repeats share a line until they pause. Offsets count from the first
line, from --around, or from the beginning of the finding.

The story of a finding also covers the minute before and after it, and what the
other findings of its incident are about. The story of an incident is that of
its first cause, for as long as the incident lasts. It shows when watches and
sessions begin, not only when they end, what never ended, and how long nodes
were silent. A * marks lines that prove the finding, a + those that prove the
other findings, a ! what failed.

If the log has bodies, lines show which fields changed, but no texts that may be
secret.
` + filterHelp,
		Example: `kaudit timeline deploy/web -n shop audit.log
kaudit timeline --user alice --since 30m audit.log
kaudit timeline --node n1 --around 2026-11-29T13:45:00Z audit.log
kaudit timeline --finding endpoint-flap/64c0634e audit.log`,
		Annotations:       exits(readExits),
		ValidArgsFunction: completeSubject,
		RunE:              answering(s),
	}
	s.flags(cmd)
	return cmd
}

// flags gives the command its flags and their completions.
func (s *story) flags(cmd *cobra.Command) {
	s.register(cmd)
	group(cmd, aboutGroup, func(fs *pflag.FlagSet) {
		fs.Var(given{&s.node}, "node", "tell about `NODE`: its kubelet, Node and Lease")
		fs.Var(given{&s.finding}, "finding", "tell about a finding or an incident of kaudit scan: its `ID`, or the beginning of it")
	})
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		fs.BoolVar(&s.all, "all", false, "one line per event: fold no repeats")
		fs.IntVarP(&s.limit, "limit", "L", 0, "show this `NUMBER` of lines, the earliest (default: 10000)")
		fs.VarP(s.output, "output", "o", s.output.usage("the timeline's form"))
		s.registerLook(fs)
		s.registerQuiet(fs, "no progress, no notes: the timeline and errors only")
	})
	completeChoice(cmd, "output", s.output)
	completeChoice(cmd, "color", s.color)
	complete(cmd, "node", completeSeen("node", nil))
	complete(cmd, "finding", completeFinding)
}

// completeSubject offers kinds of objects if one may be typed; it may also be a file.
func completeSubject(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 && typed != "" {
		if kinds, how := completeKinds(typed); len(kinds) > 0 {
			return kinds, how
		}
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func (s *story) prepare(cmd *cobra.Command, args []string) error {
	if s.node != "" && s.finding != "" {
		return usagef("--node and --finding can't be combined: they are two subjects")
	}
	if err := checkLimit(cmd, int64(s.limit)); err != nil {
		return err
	}
	args = joinObject(args)
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	kind, name, _ := strings.Cut(first, "/")
	told := s.node != "" || s.finding != ""
	switch {
	case isObject(first) && !told:
		s.setObject(kind, name)
		args = args[1:]
	case isObject(first) && query.IsKind(kind):
		return usagef("%s can't be combined with --node or --finding: they are two subjects", first)
	case isPattern(first) && !told:
		s.filter.Resources, s.filter.Names = append(s.filter.Resources, kind), append(s.filter.Names, name)
		s.about = first
		args = args[1:]
	case s.node != "":
		s.setNode()
	case flagsChoose(cmd):
		s.about = "the events that the flags choose"
	default:
		return hinted(usagef("it needs a subject"), `"kaudit timeline pod/web-0 -n shop audit.log" is about an object; --user, --node and --finding choose other subjects`)
	}
	return s.reading.prepare(cmd, args)
}

// flagsChoose reports whether flags say what it is about.
func flagsChoose(cmd *cobra.Command) bool {
	chosen := false
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[groupKey] {
			chosen = chosen || group == filterGroup || group == aboutGroup
		}
	})
	return chosen
}

// setNode makes the node of --node the subject.
func (s *story) setNode() {
	if kind, name, ok := strings.Cut(s.node, "/"); ok && query.Plural(kind) == "nodes" {
		s.node = name
	}
	s.picker.Subjects, s.about = []timeline.Subject{{Node: s.node}}, "node "+s.node
	s.sought = seekNode(s.node, "--node ")
}

// setObject makes an object the subject. A single --namespace is taken for the
// object's, and the subject chooses by it what belongs to the object.
func (s *story) setObject(kind, name string) {
	kind, group, _ := strings.Cut(kind, ".")
	subject := timeline.Subject{Resource: query.Plural(kind), APIGroup: group, Name: name}
	s.about = subject.Resource + "/" + name
	if len(s.filter.Namespaces) == 1 {
		subject.Namespace, s.filter.Namespaces = s.filter.Namespaces[0], nil
		s.about += " in " + subject.Namespace
	}
	s.picker.Subjects = []timeline.Subject{subject}
	s.sought = seekObject(subject.Resource, subject.APIGroup, subject.Namespace, subject.Name)
}

// isObject reports whether an argument has the form KIND/NAME and is no file.
func isObject(arg string) bool {
	kind, name, ok := strings.Cut(arg, "/")
	if !ok || kind == "" || name == "" || strings.ContainsAny(name, "/*") || strings.ContainsAny(kind, "*") || kind == "." {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}

// isPattern reports whether an argument has the form KIND/NAME with a * in the
// name, and matches no file.
func isPattern(arg string) bool {
	kind, name, _ := strings.Cut(arg, "/")
	if resource, _, _ := strings.Cut(kind, "."); !query.IsKind(resource) || !strings.Contains(name, "*") || strings.Contains(name, "/") {
		return false
	}
	files, _ := filepath.Glob(arg)
	return len(files) == 0
}

func (s *story) run(ctx context.Context) error {
	if s.finding != "" {
		if err := s.findFinding(ctx); err != nil {
			return err
		}
	}
	o, meter, err := s.open(ctx)
	if err != nil {
		return err
	}
	if s.around != "" {
		s.zeroIs = "--around"
		s.zero = s.filter.Since.Add(s.window)
	}
	o.OwnLog = s.finding != ""
	s.dropCopies(&o)
	teller, streamed := s.read(ctx, &o)
	meter.clear()
	if err := endless(ctx); err != nil {
		return err
	}
	s.sayDoubts(streamed.Result)
	if s.picker.HTTPLog {
		streamed.Input.Events += streamed.Input.Requests + streamed.Input.OwnLines
	}
	verdict := s.verdict(ctx, &streamed.Input, streamed.Partial)
	if streamed.Input.Events == 0 {
		return verdict
	}
	told := teller.Timeline(s.about, s.zero, s.zeroIs)
	told.Finding, told.Incident, told.Related = s.finding != "", s.told.incident, s.told.related
	switch {
	case len(told.Entries) == 0:
		s.sayNothing(&streamed.Input)
	case s.sought.misplaced():
		s.say("none of %d events is about %s itself", streamed.Input.Events, s.about)
		s.hint("%s", s.sought.hint())
	}
	return errors.Join(verdict, s.print(told))
}

// read reads the logs and collects what belongs to the story.
func (s *story) read(ctx context.Context, o *driver.Options) (*timeline.Teller, *driver.Streamed) {
	watch := s.sought.watch(o, &s.filter)
	pick := func() func(*audit.Event) (timeline.Entry, bool) {
		look := watch()
		return func(e *audit.Event) (timeline.Entry, bool) {
			look(e)
			return s.picker.Pick(e)
		}
	}
	s.picker.Stages = len(s.filter.Stages) > 0
	if until := s.filter.Until; until != 0 {
		s.told.end = min(s.told.end, until)
	}
	teller := &timeline.Teller{
		All: s.all, Stages: s.picker.Stages, Limit: s.limit,
		Silences: s.told.silences, Restarts: s.told.restarts, Pause: s.told.pause, End: s.told.end,
	}
	streamed := driver.Stream(ctx, s.inputs.Logs, *o, driver.Streaming{ByTime: true}, pick,
		func(p *driver.Picked[timeline.Entry]) bool {
			teller.Add(&p.Value, p.Line)
			return true
		})
	return teller, streamed
}

// print prints the timeline. Before one in text it prints the notes, which the
// other forms hold, to standard error.
func (s *story) print(told *timeline.Timeline) error {
	if s.output.value != "text" {
		return paged(s.stdout, s.pager, func(out io.Writer) error { return printValue(out, s.output.value, told) })
	}
	for _, note := range told.Notes {
		s.say("%s", note)
	}
	return paged(s.stdout, s.pager, func(out io.Writer) error { return told.Text(out, time.Local, s.look(s.stdout)) })
}

// sayNothing says that there is no story, and why.
func (s *story) sayNothing(in *driver.Input) {
	if in.Selected != nil && *in.Selected == 0 {
		s.sayNoneChosen(s.voice, in)
		return
	}
	if left := s.sought.leftOut(s.around != ""); left != "" {
		s.say("no chosen event is about %s: %s", s.about, left)
		return
	}
	s.say("none of %d events is about %s", in.Events, s.about)
	s.hint("%s", s.sought.hint())
}
