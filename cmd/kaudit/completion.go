package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// shells are the shells that kaudit completes for, each with what writes its
// script.
var shells = []struct {
	name  string
	write func(root *cobra.Command, w io.Writer) error
}{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", (*cobra.Command).GenZshCompletion},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", (*cobra.Command).GenPowerShellCompletionWithDesc},
}

func newCompletion() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "completion [FLAGS] SHELL",
		Short: "print the script that makes a shell complete kaudit's commands",
		Long: `kaudit completion prints the script that makes a shell complete kaudit's
commands, flags, analyzers and their options.

` + seenHelp,
		Example: `source <(kaudit completion bash)
kaudit completion zsh --file "${fpath[1]}/_kaudit"
kaudit completion fish --file ~/.config/fish/completions/kaudit.fish
kaudit completion powershell | Out-String | Invoke-Expression`,
		Annotations:       exits(plainExits),
		ValidArgsFunction: cobra.FixedCompletions(shellNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("it takes one argument, the shell: %s", orList(shellNames()))
			}
			return runCompletion(cmd, args[0], file)
		},
	}
	cmd.Flags().Var(given{&file}, "file", "write to `FILE`, not to standard output")
	return cmd
}

func runCompletion(cmd *cobra.Command, shell, file string) error {
	for _, s := range shells {
		if s.name != shell {
			continue
		}
		var script bytes.Buffer
		if err := s.write(cmd.Root(), &script); err != nil {
			return fmt.Errorf("make the script for %s: %w", shell, err)
		}
		if file != "" {
			return os.WriteFile(file, script.Bytes(), 0o644)
		}
		_, err := cmd.OutOrStdout().Write(script.Bytes())
		return err
	}
	return hinted(usagef("there is no script for shell %q", shell), "%s",
		didYouMean(shell, shellNames(), "there is one for "+orList(shellNames())))
}

func shellNames() []string {
	names := make([]string, len(shells))
	for i, s := range shells {
		names[i] = s.name
	}
	return names
}
