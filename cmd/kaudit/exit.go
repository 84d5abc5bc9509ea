package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/report"
)

// The exit statuses, and beside them the errors that mean them. A failure wins
// over findings: a script that only asks whether something was found must not
// take half an answer for a whole one.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitFindings    = 3
	exitInterrupted = 130 // 128 + SIGINT, as shells count
)

// A usageError is a mistake in the command line or the configuration file.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A hintedError is an error with a line that says what to do about it.
type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

// Hint says what to do about the error. Errors of other packages may have one.
func (e hintedError) Hint() string { return e.hint }

// hinted adds a hint to err. An empty hint adds nothing.
func hinted(err error, format string, args ...any) error {
	hint := fmt.Sprintf(format, args...)
	if hint == "" {
		return err
	}
	return hintedError{err, hint}
}

var (
	errFindings    = errors.New("there are findings of the severity of --fail-on or worse")
	errInterrupted = errors.New("interrupted: the output covers what was read until then")
	errShaping     = errors.New("interrupted while --jq worked on the report")
	errNotRead     = errors.New("interrupted before the report was read")
)

// exitStatus returns the exit status for err.
func exitStatus(err error) int {
	errs := flatten(err)
	if len(errs) == 0 {
		return exitOK
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if errors.Is(err, errInterrupted) || errors.Is(err, errShaping) || errors.Is(err, errNotRead) {
		return exitInterrupted
	}
	if len(errs) == 1 && errors.Is(err, errFindings) {
		return exitFindings
	}
	return exitFailure
}

// flatten returns the errors that err joins, without EPIPE: whoever closed
// standard output, as head does, has seen enough.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok && errors.Is(err, syscall.EPIPE):
		return nil
	case !ok:
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// mostErrors is how many errors are printed. A pattern that the shell expanded
// may name a thousand files that are no logs.
const mostErrors = 20

// complain writes err to w: a line for each error that it joins, and their
// hints. errFindings is left out: the exit status alone tells it.
func complain(w io.Writer, command *cobra.Command, err error) {
	prefix, program := "kaudit: ", "kaudit"
	if command != nil {
		program = command.Root().DisplayName()
	}
	if command != nil && command.HasParent() {
		prefix += command.Name() + ": "
	}
	errs := slices.DeleteFunc(flatten(err), func(e error) bool { return errors.Is(e, errFindings) })
	if more := len(errs) - mostErrors; more > 0 {
		// The last one stays: it tells how the run ended.
		errs = slices.Replace(errs, mostErrors-1, len(errs)-1, fmt.Errorf("and %d more errors", more))
	}
	for _, e := range errs {
		fmt.Fprintln(w, prefix+oneLine(e.Error()))
		var h interface{ Hint() string }
		if errors.As(e, &h) {
			fmt.Fprintln(w, "kaudit: hint: "+oneLine(spoken(program, h.Hint())))
		}
	}
}

// oneLine makes text harmless for a terminal: it may hold names of files and
// text from a log. Of several lines, such as an expression with a caret below
// it, all but the first are indented.
func oneLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = report.Clean(line)
	}
	return strings.Join(lines, "\n    ")
}

// The descriptions of exit statuses in the commands' help.
const (
	plainExits = `0  done; also when the reader of standard output closed it
1  a failure
2  a mistake in the command line`

	allExits = `0    done; also when the reader of standard output closed it
1    a failure
2    a mistake in the command line or the configuration file
3    scan --fail-on: there are findings of that severity or worse
130  a command that reads logs was interrupted: the answer is partial`

	readExits = `0    the logs were read, whatever was found; also when the reader of standard
     output closed it
1    a failure: nothing could be read, an input broke off, or a named file is
     no audit log; what could be read was read
2    a mistake in the command line
130  interrupted: the answer covers what was read until then`

	scanExits = `0    the logs were read; also when the reader of standard output closed it
1    a failure: nothing could be read, an input broke off, or a named file is
     no audit log; what could be read was read
2    a mistake in the command line or the configuration file
3    with --fail-on: findings of that severity or worse are shown
130  interrupted: the report is partial`
)
