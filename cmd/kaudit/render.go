package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// reportForms are the forms that a report has, the usual one first.
var reportForms = []string{"table", "wide", "json", "yaml", "html", "markdown"}

// writeReport writes a report in one of reportForms.
func writeReport(w io.Writer, form string, r *report.Report, o report.Options) error {
	switch form {
	case "json":
		return report.JSON(w, r)
	case "yaml":
		return report.YAML(w, r)
	case "html":
		return report.HTML(w, r, o)
	case "markdown":
		return report.Markdown(w, r, o)
	}
	return report.Table(w, r, o)
}

// A render is one run of "kaudit render".
type render struct {
	output, color              *choice
	minSeverity, minConfidence *choice
	quiet                      bool
}

func newRender() *cobra.Command {
	r := &render{
		output:        newChoice(reportForms[0], reportForms...),
		color:         newChoice("auto", "auto", "always", "never"),
		minSeverity:   newChoice(string(analysis.Warning), severities...),
		minConfidence: newChoice(string(analysis.Likely), confidences...),
	}
	cmd := &cobra.Command{
		Use:   "render [FLAGS] [REPORT|-]",
		Short: "show a saved report in another form",
		Long: `kaudit render reads a report that "kaudit scan -o json" wrote, from a file or,
for - or without an argument, from standard input, and writes it in another
form. It needs no log: a report holds all that is shown.`,
		Example: `kaudit scan audit.log -o json > report.json
kaudit render report.json -o html > report.html
kaudit render report.json -o markdown --min-severity critical`,
		Annotations: exits(plainExits),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.InOrStdin(), cmd.OutOrStdout(), args)
		},
	}
	r.register(cmd)
	return cmd
}

func (r *render) register(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	group(cmd, "what is shown", func(fs *pflag.FlagSet) {
		fs.VarP(r.output, "output", "o", r.output.usage("the report's form"))
		fs.Var(r.minSeverity, "min-severity", r.minSeverity.usage("show findings from this severity on"))
		fs.Var(r.minConfidence, "min-confidence", r.minConfidence.usage("show findings from this confidence on"))
		fs.Var(r.color, "color", r.color.usage("colours")+"; NO_COLOR is heeded")
		fs.BoolVarP(&r.quiet, "quiet", "q", false, "no advice: the report only")
	})
	for flag, c := range map[string]*choice{
		"output": r.output, "color": r.color, "min-severity": r.minSeverity, "min-confidence": r.minConfidence,
	} {
		completeChoice(cmd, flag, c)
	}
}

func (r *render) run(stdin io.Reader, stdout io.Writer, args []string) error {
	if len(args) > 1 {
		return usagef("it takes one report, but got %d", len(args))
	}
	in, name := stdin, "standard input"
	switch {
	case len(args) == 1 && args[0] != parser.Stdin:
		file, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		in, name = file, args[0]
	case isTerminal(stdin):
		return hinted(usagef("there is nothing to read"), `name a report that "kaudit scan -o json" wrote`)
	}
	saved, err := report.Read(in)
	if err != nil {
		return hinted(fmt.Errorf("%s: %w", name, err), `"kaudit scan -o json" writes a report that can be read`)
	}
	o := report.Options{
		MinSeverity:   analysis.Severity(r.minSeverity.value),
		MinConfidence: analysis.Confidence(r.minConfidence.value),
		Width:         textWidth(stdout),
		Color:         useColor(r.color.value, stdout),
		Wide:          r.output.value == "wide",
		Quiet:         r.quiet,
	}
	saved.Hide(o)
	return writeReport(stdout, r.output.value, saved, o)
}
