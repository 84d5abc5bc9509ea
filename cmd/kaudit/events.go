package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query/events"
)

// An eventList is one run of "kaudit events".
type eventList struct {
	reading
	output, sort *choice
	all, stages  bool
	limit        int64
}

func newEvents() *cobra.Command {
	e := &eventList{
		output: newChoice("text", "text", "wide", "json", "jsonl", "raw"),
		sort:   newChoice("time", "time", "none"),
	}
	cmd := &cobra.Command{
		Use:     "events [FLAGS] [FILE|DIR|GLOB|-]...",
		Aliases: []string{"ev"},
		Short:   "list events, one line each, of one log or several in order of time",
		Long: `kaudit events lists the events that its flags choose, one line each, in order
of time, over all logs. A line is a request that has ended, or one of the stages
that --stage or --stages ask for. A repeat is counted in the earlier line,
unless it comes after a pause or another client has changed the object since.

--since, --until and --around look at the time of the event itself. A watch or
session that was open at that time is listed only if it began or ended then. To
find one that ended later, use --long-running without --until.

-o wide ends each line with the file and line where its first event stands.
-o raw prints events as the log has them, each on a line, so that kaudit can
read them again, but without what a log shipper put around them (a prefix, a
time, a pod's name). json and jsonl have the fields that docs/events.schema.json
describes. These three forms have all stages.
` + filterHelp,
		Example: `kaudit events audit.log --verb delete -n shop
kaudit events /var/log/kube-apiserver --user '!system:*' --around 2026-11-29T13:45:00Z
kaudit events audit.log --resource svc --verb watch --stages --limit 20
kaudit events audit.log --code 429 -o raw | kaudit scan
kaudit events audit.log --slower-than 5s -o jsonl | jq .user`,
		Annotations: exits(readExits),
		RunE:        answering(e),
	}
	e.flags(cmd)
	return cmd
}

// flags gives the command its flags and their completions.
func (e *eventList) flags(cmd *cobra.Command) {
	e.register(cmd)
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		fs.VarP(e.output, "output", "o", e.output.usage("the form of events"))
		fs.BoolVar(&e.all, "all", false, "one line per event: fold no repeats")
		fs.BoolVar(&e.stages, "stages", false, "all stages of a request, not only its end")
		fs.Int64VarP(&e.limit, "limit", "L", 0, "stop after this `NUMBER` of lines (default: none)")
		fs.Var(e.sort, "sort", e.sort.usage("order; none is that of the file, one log after another"))
		e.registerLook(fs)
		e.registerQuiet(fs, "no progress, no notes: the events and errors only")
	})
	completeChoice(cmd, "output", e.output)
	completeChoice(cmd, "color", e.color)
	completeChoice(cmd, "sort", e.sort)
}

func (e *eventList) prepare(cmd *cobra.Command, args []string) error {
	if err := e.reading.prepare(cmd, args); err != nil {
		return err
	}
	return checkLimit(cmd, e.limit)
}

func (e *eventList) run(ctx context.Context) error {
	o, meter, err := e.open(ctx)
	if err != nil {
		return err
	}
	options := events.Options{Format: e.output.value, Stages: e.stages || len(e.filter.Stages) > 0, All: e.all, Look: e.look(e.stdout)}
	var passed atomic.Int64
	pick := func() func(*audit.Event) (events.Row, bool) {
		return func(event *audit.Event) (events.Row, bool) {
			row, ok := options.Pick(event)
			if !ok {
				passed.Add(1)
			}
			return row, ok
		}
	}
	meter.quietIf(isTerminal(e.stdout))
	var writer events.Writer
	var streamed *driver.Streamed
	limited := false
	e.dropCopies(&o)
	failed := paged(e.stdout, e.pager, func(w io.Writer) (failed error) {
		out := bufio.NewWriterSize(w, 64<<10)
		writer = events.NewWriter(out, options)
		streamed = driver.Stream(ctx, e.inputs.Logs, o, driver.Streaming{ByTime: e.sort.value == "time"}, pick,
			func(p *driver.Picked[events.Row]) bool {
				if limited = e.limit > 0 && writer.Lines() >= e.limit; limited {
					return false
				}
				if p.Value.Record != nil {
					p.Value.Record.Line = p.Line
				}
				failed = writer.Write(&p.Value)
				return failed == nil
			})
		return cmp.Or(failed, writer.Close(), out.Flush()) // the first error: those behind it are its echo
	})
	meter.clear()
	if streamed == nil { // the pager did not start, so nothing was read
		return failed
	}
	if err := endless(ctx); err != nil {
		return errors.Join(err, failed)
	}
	e.sayMissing(streamed, writer.Lines(), passed.Load(), limited)
	return errors.Join(e.verdict(ctx, &streamed.Input, streamed.Partial), failed)
}

// sayMissing says what the list itself does not show: that it is empty and why,
// that it was cut short, that it is out of order.
func (e *eventList) sayMissing(s *driver.Streamed, lines, passed int64, limited bool) {
	e.sayDoubts(s.Result)
	switch {
	case s.Input.Events == 0:
	case lines == 0 && passed > 0:
		e.say("none of the chosen events is the end of a request")
		e.hint("--stages shows other stages too: events: %d", passed)
	case lines == 0:
		e.sayNoneChosen(e.voice, &s.Input)
	case limited:
		e.say("there is more; --limit %d stops here", e.limit)
	}
	const archived = "logs of an archive are read one after another: choose fewer events, or name each log: ARCHIVE!PATH"
	switch {
	case e.sort.value != "time":
	case s.Late > 0:
		e.say("%d events are out of order in the log by too much to be sorted", s.Late)
		if s.Pressed {
			e.hint(archived)
		}
	case s.Pressed && limited:
		e.say("an archive has more chosen events than can be sorted: other logs in it may have earlier ones")
		e.hint(archived)
	}
}
