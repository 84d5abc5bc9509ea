package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/audit"
)

func newAnalyzers() *cobra.Command {
	format := newChoice("table", "table", "json", "yaml")
	cmd := &cobra.Command{
		Use:   "analyzers [FLAGS]",
		Short: "list the analyzers, what each needs, and its options",
		Long: `kaudit analyzers lists the analyzers, what each needs of the audit policy, and
its options with their defaults. An option is set with
--set ANALYZER.OPTION=VALUE.`,
		Example:     "kaudit analyzers\nkaudit analyzers -o json",
		Annotations: exits(plainExits),
		Args:        noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := describeAll(analyzers.All())
			if format.value == "table" {
				return tabulate(cmd.OutOrStdout(), list)
			}
			return printValue(cmd.OutOrStdout(), format.value, list)
		},
	}
	cmd.Flags().VarP(format, "output", "o", format.usage("how to print them"))
	completeChoice(cmd, "output", format)
	return cmd
}

// A description is what "kaudit analyzers -o json" says of an analyzer.
type description struct {
	Name    string         `json:"name"`
	Summary string         `json:"summary"`
	Needs   needs          `json:"needs"`
	Options []optionDetail `json:"options"`
}

type needs struct {
	Level  string   `json:"level"`  // at least; empty: any
	Stages []string `json:"stages"` // all of these
	Fine   bool     `json:"fine"`   // stamps finer than a second
}

type optionDetail struct {
	Name    string `json:"name"`
	Default any    `json:"default"`
	Type    string `json:"type"`
	Unit    string `json:"unit"`
	Doc     string `json:"doc"`
}

func describeAll(all []*analysis.Analyzer) []description {
	list := make([]description, len(all))
	for i, a := range all {
		list[i] = describe(a)
	}
	return list
}

func describe(a *analysis.Analyzer) description {
	d := description{
		Name: a.Name, Summary: a.Summary(),
		Needs:   needs{Level: a.Needs.Level.String(), Stages: []string{}, Fine: a.Needs.Fine},
		Options: []optionDetail{},
	}
	for _, stage := range a.Needs.Stages {
		d.Needs.Stages = append(d.Needs.Stages, stage.String())
	}
	for i := range a.Options {
		o := &a.Options[i]
		d.Options = append(d.Options, optionDetail{o.Name, jsonDefault(o.Default), o.Type(), o.Unit, o.Doc})
	}
	return d
}

// jsonDefault writes durations as users do, and other values as they are.
func jsonDefault(v any) any {
	if d, ok := v.(fmt.Stringer); ok {
		return d.String()
	}
	return v
}

func (n needs) String() string {
	var parts []string
	if n.Level != "" && n.Level != audit.LevelMetadata.String() {
		parts = append(parts, "level "+n.Level)
	}
	parts = append(parts, n.Stages...)
	if n.Fine {
		parts = append(parts, "microseconds")
	}
	if len(parts) == 0 {
		return "any audit event"
	}
	return strings.Join(parts, ", ")
}

// tabulate prints a paragraph an analyzer: its summary, needs and options.
func tabulate(w io.Writer, list []description) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(t)
		}
		fmt.Fprintf(t, "%s: %s\n", d.Name, d.Summary)
		fmt.Fprintf(t, "  needs\t%s\n", d.Needs)
		for _, o := range d.Options {
			fmt.Fprintf(t, "  %s\t%s\t%s\n", o.Name, strings.TrimSpace(fmt.Sprint(o.Default, " ", o.Unit)), o.Doc)
		}
	}
	return t.Flush()
}
