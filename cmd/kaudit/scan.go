package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

func newScan() *cobra.Command {
	flags := newScanFlags()
	cmd := &cobra.Command{
		Use:   "scan [FLAGS] [FILE|DIR|GLOB|-]...",
		Short: "read audit logs and report what went wrong",
		Long: `kaudit scan reads audit logs and reports what went wrong, with the lines that
prove it. It reads files, the audit logs below directories, what globs match,
and, for - or without an argument, standard input. Compressed files, rotated
parts and the logs of several API servers may be mixed. Lines that are not audit
events are counted and skipped.
` + filterHelp,
		Example: `kaudit scan audit.log
kaudit scan /var/log/kube-apiserver --since 2h
kubectl logs -n kube-system kube-apiserver-cp1 | kaudit scan
kaudit scan 'audit*.log.gz' --jq '.findings[].title'
kaudit scan audit.log -n shop --user '!system:*' --code '>=500'
kaudit scan audit.log --where '.objectRef.namespace == "shop"'
kaudit scan audit.log --set stuck-watch.rounds=5 --fail-on critical`,
		Annotations: exits(scanExits),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := &scan{scanFlags: flags, stdin: cmd.InOrStdin(), stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), find: parser.Find}
			if err := s.prepare(cmd, args); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
	}
	flags.register(cmd)
	return cmd
}

// A scan is one run of "kaudit scan".
type scan struct {
	*scanFlags
	voice
	stdin          io.Reader
	stdout, stderr io.Writer

	chosen   []*analysis.Analyzer
	settings analysis.Settings
	shape    *shaper // of --jq, or nil
	options  report.Options
	find     func(args []string, stdin io.Reader) *parser.Inputs // parser.Find, but for the demo
}

// prepare finds the mistakes that can be found before anything is read.
func (s *scan) prepare(cmd *cobra.Command, args []string) (err error) {
	if err := s.loadConfig(cmd); err != nil {
		return err
	}
	if s.chosen, err = s.chooseAnalyzers(); err != nil {
		return err
	}
	if s.settings, err = s.setOptions(); err != nil {
		return err
	}
	s.voice = newVoice(cmd, s.quiet)
	s.options = s.shown(cmd, s.stdout, s.quiet)
	s.options.Arguments = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == parser.Stdin })
	if least := analysis.Severity(s.failOn.value); least != "" && !cmd.Flags().Changed("min-severity") &&
		least.Rank() < analysis.Severity(s.minSeverity.value).Rank() {
		s.options.MinSeverity = least // a finding that makes the command fail is shown
	}
	if s.jq != "" {
		if cmd.Flags().Changed("output") && s.output.value != "json" {
			return usagef("--jq shapes the JSON report, so it can't be combined with --output %s", s.output)
		}
		code, err := compileJQ("--jq", s.jq)
		if err != nil {
			return err
		}
		s.shape = &shaper{code, shapeLimits}
	}
	if err := s.filterFlags.prepare(cmd.Context(), cmd); err != nil {
		return err
	}
	return s.inputFlags.prepare(cmd, args)
}

// run reads the logs, prints the report and returns all that went wrong.
func (s *scan) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{parser.Stdin}
	}
	inputs, result, copied, err := s.read(ctx, args)
	if err != nil {
		return err
	}
	if err := endless(ctx); err != nil {
		return err
	}
	failures := append(inputs.Errors, result.Input.Errors...)
	if result.Input.Events+result.Input.Requests+result.Input.OwnLines == 0 && !result.Partial && ctx.Err() == nil {
		if len(failures) == 0 {
			return noLog(args, append(inputs.Passed, result.Input.Passed...))
		}
		return errors.Join(failures...)
	}
	if s.condition != nil {
		s.condition.tell(s.voice)
	}
	if n := result.Input.Selected; n != nil && *n == 0 {
		s.sayNoneChosen(s.voice, &result.Input)
	}
	w := window{s.filter.Since, s.filter.Until}
	r := newReport(inputs, result, w, s.options)
	r.Notes = append(r.Notes, s.notes(&result.Input, copied)...)
	r.Notes = append(r.Notes, s.cutNotes(w, r.Findings)...)
	r.Notes = append(r.Notes, s.filterNotes(r.Incidents)...)
	// Ctrl-C also ends whoever writes to the pipe, and the end of the input may be
	// seen before the signal: so the context is asked as late as possible.
	r.Partial = r.Partial || ctx.Err() != nil
	verdict, err := s.print(ctx, r)
	return errors.Join(append(failures, verdict, err)...)
}

// notes returns the notes of the report that depend on flags.
func (s *scan) notes(in *driver.Input, copied []string) (notes []analysis.Note) {
	if len(copied) > 0 {
		notes = append(notes, copiesNote(copied, in.Duplicates != nil))
	}
	if text := overlapText(in.Overlaps); text != "" {
		notes = append(notes, analysis.Note{Kind: "overlap", Text: text + "; use --dedupe"})
	}
	if s.condition != nil {
		if note, ok := s.condition.note(); ok {
			notes = append(notes, note)
		}
	}
	return notes
}

// read reads the logs. copied names those that begin as another one does, whose
// events are counted once. Archives show only while they are read that they hold
// such logs: then all is read again, unless it came through a pipe.
func (s *scan) read(ctx context.Context, args []string) (inputs *parser.Inputs, result *driver.Result, copied []string, err error) {
	for {
		inputs = s.find(args, s.stdin)
		if !s.dedupe && copied == nil {
			copied = inputs.Copies
		}
		chosen, err := s.selection(ctx, inputs.Logs, s.parserOptions())
		if err != nil {
			return nil, nil, nil, err
		}
		rejects, err := s.openRejects(inputs)
		if err != nil {
			return nil, nil, nil, err
		}
		meter := newMeter(s.stderr, s.quiet, inputs.Logs)
		result = driver.Run(ctx, inputs.Logs, driver.Options{
			Workers:   int(s.workers),
			Parser:    s.parserOptions(),
			Analyzers: s.chosen,
			Settings:  s.settings,
			Select:    chosen,
			Dedupe:    s.dedupe || len(copied) > 0,
			Rejects:   rejects.writer(),
			Progress:  meter.show,
			Peek:      meter.peek(s.options),
			PeekEvery: betweenPeeks,
		})
		meter.clear()
		if err := rejects.close(); err != nil {
			result.Input.Errors = append(result.Input.Errors, err)
		}
		if len(result.Input.Copies) == 0 {
			return inputs, result, copied, nil
		}
		copied = result.Input.Copies
		if inputs.Piped() {
			return inputs, result, copied, nil
		}
		if s.condition != nil {
			s.condition.forget()
		}
	}
}

// noLog returns the error of arguments that name no audit log. The first of what
// was passed over are its hint.
func noLog(args []string, passed []parser.Passed) error {
	const most = 3
	var looked []string
	for i, p := range passed {
		if i == most {
			looked = append(looked, fmt.Sprintf("and %d more", len(passed)-most))
			break
		}
		looked = append(looked, p.Name+": "+p.Why)
	}
	err := fmt.Errorf("no audit log in %s", strings.Join(args, ", "))
	if len(looked) == 0 {
		return err
	}
	return hinted(err, "passed over were %s", strings.Join(looked, "; "))
}

// print writes the report. verdict is errInterrupted, errFindings or nil: what
// the exit status says of a report that was printed; err is what kept it from
// being printed.
func (s *scan) print(ctx context.Context, r *report.Report) (verdict, err error) {
	err = paged(s.stdout, s.pager, func(w io.Writer) error {
		if s.shape == nil {
			return s.write(w, r, s.options)
		}
		if r.Partial {
			ctx = context.WithoutCancel(ctx) // a second Ctrl-C ends the process
		}
		return s.shape.print(ctx, w, r.Only(s.least))
	})
	worst := report.Worst(r.Shown(s.options))
	switch {
	case r.Partial:
		return errInterrupted, err
	case s.failOn.value != "" && worst.Rank() >= analysis.Severity(s.failOn.value).Rank():
		return errFindings, err
	}
	return nil, err
}
