package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// A render is one run of "kaudit render".
type render struct {
	shownFlags
	quiet bool
}

func newRender() *cobra.Command {
	r := &render{shownFlags: newShownFlags()}
	cmd := &cobra.Command{
		Use:   "render [FLAGS] [REPORT|-]",
		Short: "show a saved report in another form",
		Long: `kaudit render reads a report that "kaudit scan -o json" wrote, from a file or,
for - or without an argument, from standard input, and writes it in another
form. It needs no log: a report holds all that is shown.`,
		Example: `kaudit scan audit.log -o json > report.json
kaudit render report.json -o html > report.html
kaudit render report.json -o markdown --min-severity critical`,
		Annotations: exits(plainExits),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd, cmd.InOrStdin(), cmd.OutOrStdout(), args)
		},
	}
	cmd.Flags().SortFlags = false
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		r.registerForm(fs)
		r.registerLook(fs)
		fs.BoolVarP(&r.quiet, "quiet", "q", false, "no advice: the report only")
	})
	r.complete(cmd)
	return cmd
}

func (r *render) run(cmd *cobra.Command, stdin io.Reader, stdout io.Writer, args []string) error {
	if len(args) > 1 {
		return usagef("it takes one report, but got %d", len(args))
	}
	in, name := stdin, "standard input"
	if len(args) == 1 && args[0] != parser.Stdin {
		in, name = nil, args[0]
	} else if isTerminal(stdin) {
		return hinted(usagef("there is nothing to read"), `name a report that "kaudit scan -o json" wrote`)
	}
	saved, err := await(cmd.Context(), func() (*report.Report, error) {
		if in != nil {
			return report.Read(in)
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return report.Read(file)
	})
	if _, notOpened := errors.AsType[*fs.PathError](err); notOpened || errors.Is(err, errNotRead) {
		return err
	}
	if errors.Is(err, report.ErrAuditLog) {
		return hinted(fmt.Errorf("%s: %w", name, err), "kaudit scan reads it")
	}
	if err != nil {
		return hinted(fmt.Errorf("%s: %w", name, err), `"kaudit scan -o json" writes a report that can be read`)
	}
	o := r.shown(cmd, stdout, r.quiet)
	o.Arguments = args
	saved.Hide(o)
	return paged(stdout, r.pager, func(w io.Writer) error { return r.write(w, saved, o) })
}

// await returns what read returns. If the context ends before, it returns errNotRead
// and leaves read behind: a pipe may give nothing for ever.
func await[T any](ctx context.Context, read func() (T, error)) (value T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		defer close(done)
		got, failed = read()
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return value, errNotRead
	}
}
