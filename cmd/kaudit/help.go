package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The keys of annotations that the help shows.
const (
	exitKey  = "exit status" // of a command
	groupKey = "group"       // of a flag: the heading that it stands under
)

// The headings that flags stand under.
const (
	readGroup   = "what is read"
	filterGroup = "which events count"
	aboutGroup  = "what it is about"
	askedGroup  = "what is asked"
	shownGroup  = "what is shown"
	demoGroup   = "the log"
)

// group adds to cmd the flags that add defines, under a heading of the help.
func group(cmd *cobra.Command, heading string, add func(*pflag.FlagSet)) {
	fs := pflag.NewFlagSet(heading, pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	fs.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{groupKey: {heading}} })
	cmd.Flags().AddFlagSet(fs)
}

func exits(text string) map[string]string { return map[string]string{exitKey: text} }

// newHelp returns "kaudit help", which takes the names of a command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:         "help [COMMAND]",
		Short:       "show how a command is used",
		Example:     "kaudit help scan",
		Annotations: exits(plainExits),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, sub := range root.Commands() {
				if len(args) == 0 && sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return hinted(noCommand(rest[0]), "%s", nearCommand(root, rest[0]))
			}
			return help(cmd)
		},
	}
}

// help writes the help of a command. It is plain code and not a template, so
// that the linker can drop what reflection would keep.
func help(cmd *cobra.Command) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	text := cmd.Long
	if text == "" {
		text = "kaudit " + cmd.Name() + ": " + cmd.Short + "."
	}
	program := cmd.Root().DisplayName()
	fmt.Fprintln(w, spoken(program, text))
	cmd.DisableFlagsInUseLine = true
	section(w, "usage", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		for _, g := range commandGroups {
			section(w, g.name, commandList(cmd, g.commands))
		}
	}
	section(w, "examples", spoken(program, cmd.Example))
	for _, group := range flagGroups(cmd.LocalFlags()) {
		usages := "\n" + group.flags.FlagUsagesWrapped(80)
		section(w, group.name, strings.ReplaceAll(usages, "\n  ", "\n"))
	}
	section(w, "exit status", cmd.Annotations[exitKey])
	return w.Flush()
}

// section writes a heading and, indented, a text, unless the text is empty.
func section(w io.Writer, heading, text string) {
	text = strings.Trim(text, "\n")
	if text == "" {
		return
	}
	fmt.Fprintf(w, "\n%s\n", strings.ToUpper(heading))
	for line := range strings.Lines(text) {
		fmt.Fprint(w, "  ", line)
	}
	fmt.Fprintln(w)
}

// commandGroups are the headings that commands stand under, beginning with what
// a newcomer needs. A test checks that no command is missing.
var commandGroups = []struct {
	name     string
	commands []string
}{
	{"commands: what went wrong", []string{"scan", "explain", "analyzers", "render", "demo"}},
	{"commands: what happened", []string{"who", "timeline", "top", "events"}},
	{"commands: the rest", []string{"formats", "completion", "version", "help"}},
}

func commandList(cmd *cobra.Command, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if sub, _, err := cmd.Find([]string{name}); err == nil {
			fmt.Fprintf(&b, "%-12s %s\n", sub.Name(), sub.Short)
		}
	}
	return b.String()
}

type flagGroup struct {
	name  string
	flags *pflag.FlagSet
}

// flagGroups sorts flags under their headings, in the order in which the
// headings first appear.
func flagGroups(flags *pflag.FlagSet) []flagGroup {
	var groups []flagGroup
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		name := "flags"
		if g := f.Annotations[groupKey]; len(g) > 0 {
			name = g[0]
		}
		for i := range groups {
			if groups[i].name == name {
				groups[i].flags.AddFlag(f)
				return
			}
		}
		group := flagGroup{name, pflag.NewFlagSet(name, pflag.ContinueOnError)}
		group.flags.SortFlags = false
		group.flags.AddFlag(f)
		groups = append(groups, group)
	})
	return groups
}
