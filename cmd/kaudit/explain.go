package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/analyzers"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [ANALYZER|ID]",
		Short: "explain an analyzer: what it finds, why that happens, what to do",
		Long: `kaudit explain prints the page of an analyzer: what it finds, why that happens,
how the evidence looks, what the audit policy must record, what is not flagged,
and what to do about it. The id of a finding stands for its analyzer. Without a
name it lists the analyzers.`,
		Example:           "kaudit explain\nkaudit explain stuck-watch | less",
		Annotations:       exits(plainExits),
		ValidArgsFunction: completeAnalyzer,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			switch len(args) {
			case 0:
				return listSummaries(w, analyzers.All())
			case 1:
				name, _, _ := strings.Cut(args[0], "/")
				if slices.Contains(incident.Rules(), name) {
					return hinted(usagef("%s is the kind of an incident, not an analyzer", name),
						"kaudit scan prints an incident's cause, what to do and what would prove it; kaudit timeline --finding ID tells its story")
				}
				a, err := analyzerNamed(analyzers.All(), name)
				if err != nil {
					return err
				}
				_, err = io.WriteString(w, plainMarkdown(a.Doc, min(textWidth(w), 80)))
				return err
			}
			return usagef("it takes one analyzer, but got %d", len(args))
		},
	}
}

func listSummaries(w io.Writer, all []*analysis.Analyzer) error {
	longest := 0
	for _, a := range all {
		longest = max(longest, len(a.Name))
	}
	for _, a := range all {
		if _, err := fmt.Fprintf(w, "%-*s  %s\n", longest, a.Name, a.Summary()); err != nil {
			return err
		}
	}
	return nil
}

func analyzerNamed(all []*analysis.Analyzer, name string) (*analysis.Analyzer, error) {
	names := make([]string, len(all))
	for i, a := range all {
		if a.Name == name {
			return a, nil
		}
		names[i] = a.Name
	}
	return nil, hinted(usagef("there is no analyzer %q", name), "%s",
		didYouMean(name, names, `analyzers are listed by "kaudit explain"`))
}

// completeAnalyzer offers the names of analyzers for an argument.
func completeAnalyzer(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return analyzerCompletions(typed), cobra.ShellCompDirectiveNoFileComp
}

// analyzerCompletions offers the analyzers whose names begin with what was
// typed.
func analyzerCompletions(typed string) []cobra.Completion {
	var names []cobra.Completion
	for _, a := range analyzers.All() {
		if strings.HasPrefix(a.Name, typed) {
			names = append(names, cobra.CompletionWithDesc(a.Name, a.Summary()))
		}
	}
	return names
}
