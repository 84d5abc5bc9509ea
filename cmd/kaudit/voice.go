package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A voice says on standard error what is no part of a command's answer. It is
// silent with --quiet.
type voice struct {
	command string
	out     io.Writer
	silent  bool
}

func newVoice(cmd *cobra.Command, quiet bool) voice {
	return voice{cmd.Name(), cmd.ErrOrStderr(), quiet}
}

// say prints a message with the command's name before it.
func (v voice) say(format string, args ...any) {
	if !v.silent {
		fmt.Fprintf(v.out, "kaudit: %s: %s\n", v.command, oneLine(fmt.Sprintf(format, args...)))
	}
}

// hint prints what the user can do about it. An empty hint is not printed.
func (v voice) hint(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" && !v.silent {
		fmt.Fprintf(v.out, "kaudit: hint: %s\n", oneLine(text))
	}
}
