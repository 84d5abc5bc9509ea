// Command kaudit reads Kubernetes audit logs and says what went wrong in the
// cluster, with the log lines that prove it. See "kaudit help".
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

//go:generate go run ../../bench/demo demo.log.gz
//go:generate go run . completion bash --file ../../completions/kaudit.bash
//go:generate go run . completion zsh --file ../../completions/_kaudit
//go:generate go run . completion fish --file ../../completions/kaudit.fish
//go:generate go run . completion powershell --file ../../completions/kaudit.ps1

func main() { os.Exit(start()) }

// start runs kaudit as the shell calls it. The first Ctrl-C asks for what is
// known so far; the second one ends the process.
func start() int {
	// A reader that closes its end, as head does, is no reason to die by a
	// signal: the write fails with EPIPE, and exitStatus knows what that means.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	paceCollector()
	return run(ctx, programName(os.Args[0]), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// run runs kaudit and returns its exit status. program is what the user types
// to call it. The answer goes to stdout and everything else to stderr.
func run(ctx context.Context, program string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	setProgram(root, program)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var helped error
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { helped = help(cmd) }) // cobra drops it
	command, err := root.ExecuteContextC(ctx)
	err = errors.Join(err, helped)
	complain(stderr, command, err)
	return exitStatus(err)
}
