package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query/top"
	"github.com/kaudit/kaudit/report"
)

// A topList is one run of "kaudit top".
type topList struct {
	reading
	output, by *choice
	limit      int
	keys       []top.Key
}

func newTop() *cobra.Command {
	t := &topList{
		output: newChoice("table", "table", "json", "yaml"),
		by:     newChoice("count", "count", "errors", "latency", "bytes"),
	}
	cmd := &cobra.Command{
		Use:   "top [FLAGS] KEYS [FILE|DIR|GLOB|-]...",
		Short: "count requests by user, verb, resource and other keys, the most first",
		Long: `kaudit top counts requests by one key or several, joined by commas, and shows
the biggest: their share, rate, errors and latency, how many bytes of the log
they take, and when they came. Each request counts once, whatever stages the log
has; one that an aggregated API server logged as well counts twice, and a note
says so. Long-running requests are counted separately: their latency means
nothing. Rates refer to the time that the log covers, limited by --since and
--until; with the key minute or hour, to the part of that minute or hour within
this time. Other flags do not change the time.

` + keyHelp() + filterHelp,
		Example: `kaudit top user audit.log
kaudit top user,verb,resource audit.log --by errors
kaudit top client,resource audit.log --verb list --by latency
kaudit top user,resource,rv,limit,scope audit.log --verb list
kaudit top minute audit.log --code 429
kaudit top annotation:k8s.io/removed-release,user,resource audit.log`,
		Annotations:       exits(readExits),
		ValidArgsFunction: completeKeys,
		RunE:              answering(t),
	}
	t.flags(cmd)
	return cmd
}

// flags gives the command its flags and their completions.
func (t *topList) flags(cmd *cobra.Command) {
	t.register(cmd)
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		fs.Var(t.by, "by", t.by.usage("order; latency is the 95th percentile"))
		fs.IntVarP(&t.limit, "limit", "L", 20, "show this `NUMBER` of rows; one more sums up the rest")
		fs.VarP(t.output, "output", "o", t.output.usage("the table's form"))
		t.registerLook(fs)
		t.registerQuiet(fs, "no progress, no notes: the table and errors only")
	})
	completeChoice(cmd, "by", t.by)
	completeChoice(cmd, "output", t.output)
	completeChoice(cmd, "color", t.color)
}

// keyHelp returns the part of the help that lists the keys.
func keyHelp() string {
	var b strings.Builder
	b.WriteString("Keys are:\n")
	for _, k := range top.Keys() {
		fmt.Fprintf(&b, "  %-16s %s\n", k.Name, k.Doc)
	}
	fmt.Fprintf(&b, "  %-16s %s\n", "annotation:NAME", "the value of an audit annotation")
	return b.String()
}

// completeKeys offers keys behind those that stand before the last comma; after them come
// files.
func completeKeys(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	begin := strings.LastIndexByte(typed, ',') + 1
	there := strings.Split(typed[:begin], ",")
	var list []cobra.Completion
	for _, k := range top.Keys() {
		if strings.HasPrefix(k.Name, typed[begin:]) && !slices.Contains(there, k.Name) {
			list = append(list, cobra.CompletionWithDesc(typed[:begin]+k.Name, k.Doc))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (t *topList) prepare(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return hinted(usagef("it needs the keys to count by"), `"kaudit top user,verb audit.log" counts by user and verb; "kaudit help top" lists the keys`)
	}
	if err := checkLimit(cmd, int64(t.limit)); err != nil {
		return err
	}
	var err error
	if t.keys, err = top.ParseKeys(strings.Split(args[0], ",")); err != nil {
		if _, missing := os.Stat(args[0]); missing == nil {
			return hinted(usagef("the keys to count by come before %s", args[0]), "kaudit top user,verb %s", args[0])
		}
		return filterError(err)
	}
	if len(args) > 1 {
		_, notKey := top.ParseKeys(strings.Split(args[1], ","))
		if _, missing := os.Stat(args[1]); notKey == nil && missing != nil {
			return hinted(usagef("%s is a key, not a file", args[1]), "keys are one argument, joined by commas: kaudit top %s,%s", args[0], args[1])
		}
	}
	return t.reading.prepare(cmd, args[1:])
}

func (t *topList) run(ctx context.Context) error {
	o, meter, err := t.open(ctx)
	if err != nil {
		return err
	}
	newCounter := func() *top.Counter { return top.NewCounter(t.keys, top.Measure(t.by.value)) }
	counter, strays, result := t.count(ctx, o, newCounter)
	if t.foundCopies(result, &o, meter) {
		counter, strays, result = t.count(ctx, o, newCounter)
	}
	if !result.Partial && counter.Overflowed() && !t.inputs.Piped() {
		t.reread(meter)
		counter, strays, result = t.count(ctx, o, counter.Again())
	}
	meter.clear()
	if err := endless(ctx); err != nil {
		return err
	}
	from, to, notes := t.looked(&result.Input, strays)
	table := counter.Table(t.limit, from, to)
	table.Notes = append(table.Notes, notes...)
	t.sayDoubts(result)
	if result.Input.Selected != nil && *result.Input.Selected == 0 && result.Input.Events > 0 {
		t.sayNoneChosen(t.voice, &result.Input)
	}
	verdict := t.verdict(ctx, &result.Input, result.Partial)
	if result.Input.Events == 0 {
		return verdict
	}
	if t.output.value == "table" {
		for _, note := range table.Notes {
			t.say("%s", note)
		}
	}
	return errors.Join(verdict, paged(t.stdout, t.pager, func(out io.Writer) error {
		if t.output.value != "table" {
			return printValue(out, t.output.value, table)
		}
		return table.Text(out, report.Look{Width: tableWidth(t.stdout), Color: t.look(t.stdout).Color})
	}))
}

// looked returns the span of the log that was looked at. Rates are per second of
// this span, so that they do not depend on which events the other flags choose.
// Times from wrong clocks do not stretch it; notes tell of them.
func (t *topList) looked(in *driver.Input, strays *analysis.Strays) (from, to audit.Time, notes []string) {
	from, to = max(in.First, t.filter.Since), in.Last
	if t.filter.Until != 0 {
		to = min(to, t.filter.Until)
	}
	span, far := strays.Span()
	for _, note := range far {
		if from <= note.To && note.From <= to {
			notes = append(notes, note.Text)
		}
	}
	if len(far) > 0 && from <= span.Last && span.First <= to {
		from, to = max(from, span.First), min(to, span.Last)
	}
	return from, max(from, to), notes
}

// count reads the logs. newCounter makes the counter of each worker; strays sees
// the times of all events, also of those that the flags do not choose.
func (t *topList) count(ctx context.Context, o driver.Options, newCounter func() *top.Counter) (*top.Counter, *analysis.Strays, *driver.Result) {
	var counters []*top.Counter
	strays := analysis.NewStrays()
	var clocks []*analysis.Strays // of each worker
	clock := func() *analysis.Strays {
		clocks = append(clocks, analysis.NewStrays())
		return clocks[len(clocks)-1]
	}
	choose := o.Select
	if choose != nil {
		o.Select = func() func(*audit.Event) bool {
			s, chooses := clock(), choose()
			return func(e *audit.Event) bool {
				s.Observe(e)
				return chooses(e)
			}
		}
	}
	o.Observe = func() func(*audit.Event) {
		c := newCounter()
		counters = append(counters, c)
		if choose != nil {
			return c.Observe
		}
		s := clock()
		return func(e *audit.Event) {
			s.Observe(e)
			c.Observe(e)
		}
	}
	result := driver.Run(ctx, t.inputs.Logs, o)
	for _, c := range counters[1:] {
		counters[0].Merge(c)
	}
	for _, s := range clocks {
		strays.Merge(s)
	}
	return counters[0], strays, result
}
