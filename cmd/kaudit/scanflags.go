package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analyzers"
)

// A scanFlags holds the flags of "kaudit scan". Every one but --config is also
// a key of the configuration file.
type scanFlags struct {
	inputFlags
	filterFlags
	shownFlags

	analyzers, skip, set []string
	config               string

	failOn       *choice
	jq           string
	showCommands bool

	fileSettings analysis.Settings // what the configuration file sets
}

func newScanFlags() *scanFlags {
	return &scanFlags{
		inputFlags:   newInputFlags(),
		shownFlags:   newShownFlags(),
		failOn:       newChoice("", severities...),
		fileSettings: analysis.Settings{},
	}
}

// register adds the flags to cmd, by the headings that the help shows.
func (f *scanFlags) register(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	f.inputFlags.register(cmd)
	f.filterFlags.register(cmd)
	group(cmd, askedGroup, func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&f.analyzers, "analyzers", nil, "run only these analyzers, `NAMES` joined by commas")
		fs.StringSliceVar(&f.skip, "skip", nil, "leave out these analyzers, `NAMES` joined by commas")
		fs.StringArrayVar(&f.set, "set", nil, "set an option, `ANALYZER.OPTION=VALUE`; may be repeated")
		fs.Var(given{&f.config}, "config", "read flags from a YAML `FILE`; the command line wins")
	})
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		f.registerForm(fs)
		fs.Var(f.failOn, "fail-on", f.failOn.usage("exit with 3 if a finding is shown that has this severity or worse: --min-confidence and --min-severity may hide some"))
		fs.Var(given{&f.jq}, "jq", "print what the jq `EXPR` makes of the JSON report, one result per line, strings unquoted")
		fs.BoolVar(&f.showCommands, "show-commands", false, "show whole command lines of exec sessions, which may hold passwords")
		f.registerLook(fs)
		f.registerRejects(fs)
		f.registerQuiet(fs, "the report and errors only: no progress, no advice, no notes on standard error (those of the report stay)")
	})
	f.shownFlags.complete(cmd)
	completeChoice(cmd, "fail-on", f.failOn)
	complete(cmd, "analyzers", completeAnalyzers)
	complete(cmd, "skip", completeAnalyzers)
	complete(cmd, "set", completeOption)
}

// chooseAnalyzers returns the analyzers that --analyzers and --skip leave.
func (f *scanFlags) chooseAnalyzers() ([]*analysis.Analyzer, error) {
	all := analyzers.All()
	for flag, names := range map[string][]string{"--analyzers": f.analyzers, "--skip": f.skip} {
		if names != nil && len(names) == 0 {
			return nil, valueError(flag, "", errEmpty)
		}
		for _, name := range names {
			if _, err := analyzerNamed(all, name); err != nil {
				return nil, valueError(flag, name, err)
			}
		}
	}
	var chosen []*analysis.Analyzer
	for _, a := range all {
		wanted := len(f.analyzers) == 0 || slices.Contains(f.analyzers, a.Name)
		if wanted && !slices.Contains(f.skip, a.Name) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, usagef("--analyzers and --skip leave no analyzer")
	}
	return chosen, nil
}

// setOptions returns the analyzers' options as the configuration file and then
// the flags set them.
func (f *scanFlags) setOptions() (analysis.Settings, error) {
	settings := f.fileSettings
	if f.showCommands {
		if err := setOption(settings, "hijacked-latency.show-commands=true"); err != nil {
			return nil, err
		}
	}
	for _, text := range f.set {
		if err := setOption(settings, text); err != nil {
			return nil, valueError("--set", text, err)
		}
	}
	return settings, nil
}

// setOption sets an option from the form ANALYZER.OPTION=VALUE.
func setOption(settings analysis.Settings, text string) error {
	path, value, isSet := strings.Cut(text, "=")
	name, option, hasOption := strings.Cut(path, ".")
	if !isSet || !hasOption {
		return usagef("it must have the form ANALYZER.OPTION=VALUE")
	}
	a, err := analyzerNamed(analyzers.All(), name)
	if err != nil {
		return err
	}
	names := make([]string, len(a.Options))
	for i := range a.Options {
		names[i] = a.Options[i].Name
	}
	if !slices.Contains(names, option) {
		return hinted(usagef("analyzer %s has no option %q", name, option), "%s",
			didYouMean(option, names, `options are listed by "kaudit analyzers"`))
	}
	if err := settings.Set(a, option, value); err != nil {
		return usageError{err}
	}
	return nil
}

// completeAnalyzers offers analyzers for the last name of a list.
func completeAnalyzers(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	begin := strings.LastIndexByte(typed, ',') + 1
	before := typed[:begin]
	var list []cobra.Completion
	for _, c := range analyzerCompletions(typed[begin:]) {
		list = append(list, before+c)
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeOption offers ANALYZER.OPTION= for --set, with what each means.
func completeOption(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, a := range analyzers.All() {
		for i := range a.Options {
			if option := a.Name + "." + a.Options[i].Name + "="; strings.HasPrefix(option, typed) {
				list = append(list, cobra.CompletionWithDesc(option, a.Options[i].Doc))
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
