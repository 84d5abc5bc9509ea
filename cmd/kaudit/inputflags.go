package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/parser"
)

// An inputFlags holds what a user may tell of how logs are read. The commands
// that read logs share them.
type inputFlags struct {
	dedupe, strict, quiet bool

	maxLine size
	workers workerCount
	format  *choice
	rejects string
}

func newInputFlags() inputFlags {
	return inputFlags{maxLine: 64 << 20, format: newChoice("", parser.FormatNames()...)}
}

// register adds the flags to cmd.
func (f *inputFlags) register(cmd *cobra.Command) {
	group(cmd, readGroup, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.dedupe, "dedupe", false, "count an event once even if several inputs have it; takes 8 bytes of memory per event")
		fs.Var(f.format, "format", "take only events in this form, or split the input into lines (jsonl) or JSON values (json); by default the content decides")
		fs.Var(&f.maxLine, "max-line", "skip longer lines")
		fs.BoolVar(&f.strict, "strict-decode", false, "decode with the API server's own types only, which is slow")
		fs.Var(&f.workers, "workers", "`NUMBER` of workers (default: one per CPU)")
	})
	completeChoice(cmd, "format", f.format)
}

func (f *inputFlags) registerQuiet(fs *pflag.FlagSet, usage string) {
	fs.BoolVarP(&f.quiet, "quiet", "q", false, usage)
}

// prepare finds the mistakes that can be found before anything is read.
func (f *inputFlags) prepare(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && isTerminal(cmd.InOrStdin()) {
		return hinted(usagef("there is nothing to read"), "name a file or a directory, or pipe a log into kaudit %s", cmd.Name())
	}
	return nil
}

// parserOptions says how logs are read.
func (f *inputFlags) parserOptions() parser.Options {
	format, _ := parser.FormatNamed(f.format.value)
	return parser.Options{MaxLine: int(f.maxLine), Strict: f.strict, Format: format}
}
