package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot returns the command line. It is cheap: each command makes what it
// needs in its RunE.
func newRoot() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "kaudit COMMAND",
		Short: "say what went wrong in a Kubernetes cluster, from its audit logs",
		Long: `kaudit reads Kubernetes audit logs and says what went wrong in the cluster,
with the log lines that prove it.`,
		Example: `kaudit scan audit.log
kubectl logs -n kube-system kube-apiserver-cp1 | kaudit scan
kaudit explain stuck-watch`,
		Annotations:   exits(allExits),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          commandName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), thisBuild())
				return err
			}
			return help(cmd)
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version, as the command does")
	root.AddCommand(newEvents(), newTop(), newWho(), newTimeline(), newFormats())
	root.AddCommand(newScan(), newRender(), newDemo())
	root.AddCommand(newExplain(), newAnalyzers(), newVersion(), newCompletion())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetUsageFunc(help)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	return root
}

// commandName refuses the arguments of root: cobra hands it only what is no
// command. For the name of a file it suggests scan.
func commandName(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return hinted(noCommand(args[0]), "did you mean kaudit scan %s?", args[0])
	}
	hint := nearCommand(root, args[0])
	return hinted(noCommand(args[0]), "%s", strings.Replace(hint, "did you mean ", "did you mean kaudit ", 1))
}

func noCommand(name string) error { return usagef("there is no command %q", name) }

// nearCommand returns the hint for a command that does not exist.
func nearCommand(root *cobra.Command, name string) string {
	var names []string
	for _, sub := range root.Commands() {
		names = append(names, sub.Name())
	}
	return didYouMean(name, names, `commands are listed by "kaudit help"`)
}

// flagError says in kaudit's words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() && cmd.Flags().NArg() > 0 {
		return commandName(cmd, cmd.Flags().Args()) // the flag may be one of the command that is meant
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := e.GetSpecifiedName()
		if e.GetSpecifiedShortnames() != "" {
			return hinted(usagef("there is no flag -%s", name), "%s", cmp.Or(foreign(cmd, name), flagList(cmd)))
		}
		return hinted(usagef("there is no flag --%s", name), "%s", nearFlag(cmd, name))
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err := e.Unwrap()
		if e.GetFlag().Value.Type() == "duration" {
			err = errors.New("it must be a duration such as 5s or 200ms")
		}
		return valueError("--"+e.GetFlag().Name, e.GetValue(), err)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usagef("--%s needs a value", e.GetFlag().Name)
	}
	return usageError{err}
}

// nearFlag returns the hint for a long flag that does not exist.
func nearFlag(cmd *cobra.Command, name string) string {
	if hint := foreign(cmd, name); hint != "" {
		return hint
	}
	if output := cmd.Flags().Lookup("output"); output != nil {
		if forms, ok := output.Value.(*choice); ok && slices.Contains(forms.words, name) {
			return "did you mean --output " + name + "?"
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return strings.ReplaceAll(didYouMean(name, names, flagList(cmd)), "did you mean ", "did you mean --")
}

// foreign returns the hint for a flag that other tools have, in a command that
// chooses events: how to do here what it does there.
func foreign(cmd *cobra.Command, name string) string {
	if cmd.Flags().Lookup("where") == nil {
		return ""
	}
	return foreignFlags[name]
}

// flagList says where the flags of a command are listed.
func flagList(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return `flags are listed by "kaudit --help"`
	}
	return `flags are listed by "kaudit help ` + cmd.Name() + `"`
}

// valueError says that a flag or a key of the configuration file can't be set
// to value.
func valueError(name, value string, err error) error {
	if e, ok := errors.AsType[*strconv.NumError](err); ok {
		err = errors.New("it must be a whole number")
		if e.Func == "ParseBool" {
			err = errors.New("it must be true or false")
		}
	}
	if value == "" {
		value = `""`
	}
	usage := usagef("%s %s: %w", name, value, err)
	if h, ok := errors.AsType[hintedError](err); ok {
		return hintedError{usage, h.hint}
	}
	return usage
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("it takes no argument, but got %q", args[0])
	}
	return nil
}
