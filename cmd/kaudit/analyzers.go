package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/audit"
)

func newAnalyzers() *cobra.Command {
	format := newChoice("table", "table", "json", "yaml")
	cmd := &cobra.Command{
		Use:   "analyzers [FLAGS] [ANALYZER]...",
		Short: "list the analyzers, what each needs, and its options",
		Long: `kaudit analyzers lists the analyzers, what each needs of the audit policy, and
its options with their defaults. An option is set with
--set ANALYZER.OPTION=VALUE.`,
		Example:           "kaudit analyzers\nkaudit analyzers stuck-watch -o json",
		Annotations:       exits(plainExits),
		ValidArgsFunction: completeAnalyzer,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := describeAll(args)
			if err != nil {
				return err
			}
			if format.value == "table" {
				return listAnalyzers(cmd.OutOrStdout(), list, textWidth(cmd.OutOrStdout()))
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

// describeAll describes the analyzers of these names, or all of them.
func describeAll(names []string) ([]description, error) {
	all := analyzers.All()
	list := []description{}
	if len(names) == 0 {
		for _, a := range all {
			list = append(list, describe(a))
		}
	}
	for _, name := range names {
		a, err := analyzerNamed(all, name)
		if err != nil {
			return nil, err
		}
		list = append(list, describe(a))
	}
	return list, nil
}

func describe(a *analysis.Analyzer) description {
	d := description{
		Name: a.Name, Summary: a.Summary(),
		Needs:   needs{Level: a.Needs.Level.String(), Stages: []string{}, Fine: a.Needs.SubSecond},
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

// listAnalyzers prints a paragraph an analyzer: its summary, its needs, and its
// options with their defaults and what they mean.
func listAnalyzers(w io.Writer, list []description, width int) error {
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		rows := [][3]string{{"needs", d.Needs.String(), ""}}
		for _, o := range d.Options {
			rows = append(rows, [3]string{o.Name, strings.TrimSpace(fmt.Sprint(o.Default, " ", o.Unit)), o.Doc})
		}
		name, value := 0, 0
		for _, row := range rows {
			name = max(name, len(row[0]))
			if row[2] != "" {
				value = max(value, len(row[1]))
			}
		}
		b.WriteString(fill(d.Summary, d.Name+": ", "  ", width))
		rest := strings.Repeat(" ", 2+name+2+value+2)
		for _, row := range rows {
			first := fmt.Sprintf("  %-*s  %-*s  ", name, row[0], value, row[1])
			b.WriteString(strings.TrimRight(fill(row[2], first, rest, width), " \n") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
