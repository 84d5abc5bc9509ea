package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A build says what made this binary.
type build struct {
	Version string `json:"version"` // of the module, "(devel)" for a build from a work tree
	Go      string `json:"go"`
	Commit  string `json:"commit"`  // empty where the build does not tell
	Changed bool   `json:"changed"` // the work tree had changes
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{Version: "(devel)"}
	}
	b := build{Version: info.Main.Version, Go: info.GoVersion}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	s := fmt.Sprintf("kaudit %s\n%s", b.Version, b.Go)
	if b.Commit != "" {
		s += "\ncommit " + b.Commit
	}
	if b.Changed {
		s += " with changes"
	}
	return s
}

func newVersion() *cobra.Command {
	format := newChoice("text", "text", "json", "yaml")
	cmd := &cobra.Command{
		Use:         "version [FLAGS]",
		Short:       "print the version, the Go release and the commit",
		Example:     "kaudit version\nkaudit version -o json",
		Annotations: exits(plainExits),
		Args:        noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format.value == "text" {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), thisBuild())
				return err
			}
			return printValue(cmd.OutOrStdout(), format.value, thisBuild())
		},
	}
	cmd.Flags().VarP(format, "output", "o", format.usage("how to print it"))
	completeChoice(cmd, "output", format)
	return cmd
}
