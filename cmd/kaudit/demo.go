package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/parser"
)

// demoLog is the log of an invented cluster, which bench/demo writes.
//
//go:embed demo.log.gz
var demoLog []byte

// demoName is the file that reports of the demo name. The help saves the output
// of "kaudit demo --log" under this name, so that the quoted lines can be opened.
const demoName = "demo.log"

func newDemo() *cobra.Command {
	flags := newScanFlags()
	var raw bool
	cmd := &cobra.Command{
		Use:   "demo [FLAGS]",
		Short: "report on a small log that is part of kaudit",
		Long: `kaudit demo shows what a report looks like, without a cluster: it scans a small
log of its own, a quarter of an hour of an invented cluster on a bad afternoon.
It takes the flags of "kaudit scan".`,
		Example: `kaudit demo
kaudit demo -o html > demo.html
kaudit demo --log > demo.log`,
		Annotations: exits(scanExits),
		Args:        noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := gzip.NewReader(bytes.NewReader(demoLog))
			if err != nil {
				return fmt.Errorf("unpack the demo's log: %w", err)
			}
			if raw {
				_, err := io.Copy(cmd.OutOrStdout(), log)
				return err
			}
			s := &scan{scanFlags: flags, stdin: log, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), find: findDemo}
			args := []string{parser.Stdin}
			if err := s.prepare(cmd, args); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
	}
	flags.register(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Annotations[groupKey][0] != shownGroup })
	group(cmd, demoGroup, func(fs *pflag.FlagSet) {
		fs.BoolVar(&raw, "log", false, "print the log itself, for other commands to read")
	})
	return cmd
}

// findDemo is parser.Find for the demo's log, which comes on stdin: it gives the
// log the name of a file.
func findDemo(args []string, stdin io.Reader) *parser.Inputs {
	inputs := parser.Find(args, stdin)
	for _, log := range inputs.Logs {
		log.Name = demoName
		for _, part := range log.Parts {
			part.Name = demoName
		}
	}
	return inputs
}
