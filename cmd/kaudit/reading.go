package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// A reading is what the commands that answer a question from logs have in
// common: their flags, the logs, and what went wrong.
type reading struct {
	inputFlags
	filterFlags
	lookFlags
	voice
	stdin          io.Reader
	stdout, stderr io.Writer

	args   []string
	inputs *parser.Inputs
	copies []string // logs that begin as another one does, whose events count once
}

// An answerer is one run of a command that answers a question from logs.
type answerer interface {
	prepare(cmd *cobra.Command, args []string) error // finds the mistakes that can be found before anything is read
	run(ctx context.Context) error                   // reads, prints, and returns all that went wrong
}

// answering returns the RunE of a's command.
func answering(a answerer) func(cmd *cobra.Command, args []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.prepare(cmd, args); err != nil {
			return err
		}
		return a.run(cmd.Context())
	}
}

// checkLimit refuses a --limit that is not above 0. Without the flag, 0 is no limit.
func checkLimit(cmd *cobra.Command, limit int64) error {
	if limit < 1 && cmd.Flags().Changed("limit") {
		return usagef("--limit %d: it must be above 0", limit)
	}
	return nil
}

// register adds the flags to cmd.
func (r *reading) register(cmd *cobra.Command) {
	r.inputFlags, r.lookFlags = newInputFlags(), newLookFlags()
	cmd.Flags().SortFlags = false
	r.inputFlags.register(cmd)
	r.filterFlags.register(cmd)
}

// prepare finds the mistakes that can be found before anything is read.
func (r *reading) prepare(cmd *cobra.Command, args []string) error {
	r.stdin, r.stdout, r.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	r.args, r.voice = args, newVoice(cmd, r.quiet)
	if err := r.filterFlags.prepare(cmd.Context(), cmd); err != nil {
		return err
	}
	if err := noObjects(args); err != nil {
		return err
	}
	return r.inputFlags.prepare(cmd, args)
}

// noObjects refuses an object among the arguments that must be files.
func noObjects(args []string) error {
	for _, arg := range args {
		kind, name, _ := strings.Cut(arg, "/")
		if isPattern(arg) || isObject(arg) && query.IsKind(kind) {
			return hinted(usagef("%s is an object, not a file", arg), "%s",
				"--resource "+report.ShellWord(kind)+" --name "+report.ShellWord(name)+" chooses it; kaudit timeline "+report.ShellWord(arg)+" tells what happened to it")
		}
	}
	return nil
}

// open finds the logs and returns how they are to be read.
func (r *reading) open(ctx context.Context) (driver.Options, *meter, error) {
	if len(r.args) == 0 {
		r.args = []string{parser.Stdin}
	}
	r.inputs = parser.Find(r.args, r.stdin)
	r.copies = r.inputs.Copies
	selects, err := r.selection(ctx, r.inputs.Logs, r.parserOptions())
	meter := newMeter(r.stderr, r.quiet, r.inputs.Logs)
	return driver.Options{
		Workers: int(r.workers), Parser: r.parserOptions(), Select: selects,
		Dedupe: r.dedupe || len(r.copies) > 0, Progress: meter.show,
	}, meter, err
}

// reread prepares to read the logs again from their beginning.
func (r *reading) reread(meter *meter) {
	r.inputs = parser.Find(r.args, r.stdin)
	meter.logs = r.inputs.Logs
	if r.condition != nil {
		r.condition.forget()
	}
}

// foundCopies reports whether archives turned out to hold copies of logs and the
// logs can be read again. It then prepares a second reading, in which copies
// count once. A pipe can't be read again.
func (r *reading) foundCopies(result *driver.Result, o *driver.Options, meter *meter) bool {
	if len(result.Input.Copies) == 0 || r.inputs.Piped() {
		return false
	}
	r.copies, o.Dedupe = result.Input.Copies, true
	r.reread(meter)
	return true
}

// dropCopies makes a list leave out the events that archives hold twice. Whether
// they hold any shows only while the list is printed, so for archives Stream
// remembers all events that it has handed on.
func (r *reading) dropCopies(o *driver.Options) {
	o.Dedupe = o.Dedupe || slices.ContainsFunc(r.inputs.Logs, (*parser.Log).Archived)
}

// verdict returns what went wrong while the logs were read, or nil.
func (r *reading) verdict(ctx context.Context, in *driver.Input, partial bool) error {
	if err := endless(ctx); err != nil {
		return err
	}
	failures := append(r.inputs.Errors, in.Errors...)
	switch {
	case in.Events == 0 && !partial && ctx.Err() == nil && len(failures) == 0:
		return noLog(r.args, append(r.inputs.Passed, in.Passed...))
	case partial || ctx.Err() != nil:
		failures = append(failures, errInterrupted)
	}
	return errors.Join(failures...)
}

// sayDoubts says what may be wrong with an answer: events on which --where
// failed, and logs that hold the same events.
func (r *reading) sayDoubts(result *driver.Result) {
	if r.condition != nil {
		aloud := r.voice
		aloud.silent = false // an answer has no notes that say so, and --quiet leaves errors
		r.condition.tell(aloud)
	}
	switch {
	case r.dedupe:
	case len(r.copies) > 0:
		r.say("%s", copiesNote(r.copies, true).Text)
	case len(result.Input.Copies) > 0 && result.Input.Duplicates != nil:
		r.say("%s", copiesNote(result.Input.Copies, true).Text)
	case len(result.Input.Copies) > 0:
		r.say("each begins with the same event as another input, and both are counted: %s", strings.Join(result.Input.Copies, ", "))
		r.hint("--dedupe counts what several inputs hold once")
	case len(result.Input.Overlaps) > 0:
		r.say("%s", overlapText(result.Input.Overlaps))
		r.hint("--dedupe counts what several inputs hold once")
	}
}
