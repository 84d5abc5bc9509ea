package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report"
)

// A shownFlags holds the flags that say what is shown of a report. The commands
// that show one share them.
type shownFlags struct {
	lookFlags
	output                     *choice
	minSeverity, minConfidence *choice

	least report.Options // the minima for JSON and YAML: those that were given, else the lowest
}

// A lookFlags holds the flags that say how text looks. All commands that print
// more than a few lines have them.
type lookFlags struct {
	color *choice
	pager bool
}

func newLookFlags() lookFlags { return lookFlags{color: newChoice("auto", "auto", "always", "never")} }

// reportForms are the forms that a report has, the usual one first.
var reportForms = []string{"table", "wide", "json", "yaml", "html", "markdown"}

var (
	severities  = []string{string(analysis.Critical), string(analysis.Warning), string(analysis.Info)}
	confidences = []string{string(analysis.Confirmed), string(analysis.Likely), string(analysis.Possible)}
)

func newShownFlags() shownFlags {
	return shownFlags{
		output:        newChoice(reportForms[0], reportForms...),
		lookFlags:     newLookFlags(),
		minSeverity:   newChoice(string(analysis.Warning), severities...),
		minConfidence: newChoice(string(analysis.Likely), confidences...),
	}
}

// registerForm adds the flags for the report's form and for what it shows.
func (f *shownFlags) registerForm(fs *pflag.FlagSet) {
	fs.VarP(f.output, "output", "o", f.output.usage("the report's form"))
	fs.Var(f.minSeverity, "min-severity", f.minSeverity.usage("show findings of this severity or worse; JSON and YAML have all unless it is given"))
	fs.Var(f.minConfidence, "min-confidence", f.minConfidence.usage("show findings of this confidence or better; likewise"))
}

// registerLook adds the flags for how text looks.
func (f *lookFlags) registerLook(fs *pflag.FlagSet) {
	fs.Var(f.color, "color", f.color.usage("colours")+"; NO_COLOR is respected")
	fs.BoolVar(&f.pager, "pager", false, "show the output in a pager, $PAGER or less, if it goes to a terminal")
}

// complete makes the shell offer the words of the flags.
func (f *shownFlags) complete(cmd *cobra.Command) {
	completeChoice(cmd, "output", f.output)
	completeChoice(cmd, "color", f.color)
	completeChoice(cmd, "min-severity", f.minSeverity)
	completeChoice(cmd, "min-confidence", f.minConfidence)
}

// shown returns what a report that is written to w shows, and how.
func (f *shownFlags) shown(cmd *cobra.Command, w io.Writer, quiet bool) report.Options {
	f.least = report.Options{MinSeverity: analysis.Info, MinConfidence: analysis.Possible}
	if cmd.Flags().Changed("min-severity") {
		f.least.MinSeverity = analysis.Severity(f.minSeverity.value)
	}
	if cmd.Flags().Changed("min-confidence") {
		f.least.MinConfidence = analysis.Confidence(f.minConfidence.value)
	}
	return report.Options{
		MinSeverity:   analysis.Severity(f.minSeverity.value),
		MinConfidence: analysis.Confidence(f.minConfidence.value),
		Width:         reportWidth(w, f.output.value),
		Color:         useColor(f.color.value, w),
		Wide:          f.output.value == "wide",
		Quiet:         quiet,
		Program:       cmd.Root().DisplayName(),
		Command:       cmd.Name(),
	}
}

// write writes a report in the form that was chosen.
func (f *shownFlags) write(w io.Writer, r *report.Report, o report.Options) error {
	switch f.output.value {
	case "json":
		return report.JSON(w, r.Only(f.least))
	case "yaml":
		return report.YAML(w, r.Only(f.least))
	case "html":
		return report.HTML(w, r, o)
	case "markdown":
		return report.Markdown(w, r, o)
	}
	return report.Table(w, r, o)
}

// look says how lines look that are written to w. They are folded only on a
// terminal, so that other programs get a line for each event.
func (f *lookFlags) look(w io.Writer) report.Look {
	look := report.Look{Color: useColor(f.color.value, w)}
	if isTerminal(w) {
		look.Width = textWidth(w)
	}
	return look
}
