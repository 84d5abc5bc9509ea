package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query/top"
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
		Short: "count requests by user, verb, resource or whatever, the most first",
		Long: `kaudit top counts requests by one key or several, joined by commas, and shows
the most: their share, rate, errors and latency, how many bytes of the log they
are, and when they came. Each request counts once, whatever stages the log has.
Long-running requests are apart: they live as long as they please.

` + keyHelp() + filterHelp,
		Example: `kaudit top user audit.log
kaudit top user,verb,resource audit.log --by errors
kaudit top client,resource audit.log --verb list --by latency
kaudit top user,resource,rv,limit,scope audit.log --verb list
kaudit top minute audit.log --code 429
kaudit top annotation:k8s.io/removed-release,user,resource audit.log`,
		Annotations: exits(readExits),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeKeys(typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.prepare(cmd, args); err != nil {
				return err
			}
			return t.run(cmd.Context())
		},
	}
	t.register(cmd)
	group(cmd, "what is shown", func(fs *pflag.FlagSet) {
		fs.Var(t.by, "by", t.by.usage("order; latency is the 95th percentile"))
		fs.IntVarP(&t.limit, "limit", "L", 20, "show this `NUMBER` of rows; the rest is one more")
		fs.VarP(t.output, "output", "o", t.output.usage("the table's form"))
		t.registerQuiet(fs, "no progress, no notes: the table and errors only")
	})
	completeChoice(cmd, "by", t.by)
	completeChoice(cmd, "output", t.output)
	return cmd
}

// keyHelp lists the keys.
func keyHelp() string {
	var b strings.Builder
	b.WriteString("Keys are:\n")
	for _, k := range top.Keys() {
		fmt.Fprintf(&b, "  %-16s %s\n", k.Name, k.Doc)
	}
	fmt.Fprintf(&b, "  %-16s %s\n", "annotation:NAME", "the value of an audit annotation")
	return b.String()
}

func completeKeys(typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	begin := strings.LastIndexByte(typed, ',') + 1
	var list []cobra.Completion
	for _, k := range top.Keys() {
		if strings.HasPrefix(k.Name, typed[begin:]) {
			list = append(list, cobra.CompletionWithDesc(typed[:begin]+k.Name, k.Doc))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// prepare finds the mistakes that can be found before anything is read.
func (t *topList) prepare(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return hinted(usagef("it needs the keys to count by"), `"kaudit top user,verb audit.log" counts by user and verb; "kaudit help top" lists the keys`)
	}
	if t.limit < 1 {
		return usagef("--limit %d: it must be above 0", t.limit)
	}
	var err error
	if t.keys, err = top.ParseKeys(strings.Split(args[0], ",")); err != nil {
		return filterError(err)
	}
	return t.reading.prepare(cmd, args[1:])
}

func (t *topList) run(ctx context.Context) error {
	o, meter, err := t.open()
	if err != nil {
		return err
	}
	count := func() *top.Counter { return top.NewCounter(t.keys, top.Measure(t.by.value)) }
	counter, span, result := t.count(ctx, o, count)
	if !result.Partial && counter.Overflowed() && !slices.ContainsFunc(t.inputs.Logs, (*parser.Log).Once) {
		t.inputs = parser.Find(t.args, t.stdin)
		counter, span, result = t.count(ctx, o, counter.Again())
	}
	meter.clear()
	table := counter.Table(t.limit, span.first, span.last)
	t.tellWhere(result)
	if result.Input.Selected != nil && *result.Input.Selected == 0 && result.Input.Events > 0 {
		t.say("none of %d events is chosen", result.Input.Events)
	}
	verdict := t.verdict(ctx, &result.Input, result.Partial)
	if result.Input.Events == 0 {
		return verdict
	}
	if t.output.value != "table" {
		return errors.Join(verdict, printValue(t.stdout, t.output.value, table))
	}
	return errors.Join(verdict, table.Text(t.stdout, tableWidth(t.stdout)))
}

// A span is the time from the first to the last event that was counted.
type span struct{ first, last audit.Time }

func (s *span) add(t audit.Time) {
	if s.first == 0 || t < s.first {
		s.first = t
	}
	s.last = max(s.last, t)
}

// count reads the logs with counters that count makes.
func (t *topList) count(ctx context.Context, o driver.Options, count func() *top.Counter) (*top.Counter, *span, *driver.Result) {
	var counters []*top.Counter
	var spans []*span
	o.Observe = func() func(*audit.Event) {
		c, s := count(), new(span)
		counters, spans = append(counters, c), append(spans, s)
		return func(e *audit.Event) {
			c.Observe(e)
			s.add(e.At)
		}
	}
	result := driver.Run(ctx, t.inputs.Logs, o)
	for i, c := range counters[1:] {
		counters[0].Merge(c)
		if spans[i+1].first != 0 {
			spans[0].add(spans[i+1].first)
			spans[0].add(spans[i+1].last)
		}
	}
	return counters[0], spans[0], result
}
