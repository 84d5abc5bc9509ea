package report

import (
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A column is a column of a grid. One column has no width and takes what the others
// leave.
type column struct {
	title string
	width int  // in columns of the terminal, at most
	right bool // its cells stand to the right
}

const columnGap = 2

// rest returns how wide the column without a width becomes.
func rest(columns []column, width int) int {
	for _, c := range columns {
		width -= c.width
	}
	return width - (len(columns)-1)*columnGap
}

// grid writes rows of cells, which are wrapped already, below titles.
func (p *page) grid(columns []column, rows [][]string) error {
	var out strings.Builder
	titles := make([]string, len(columns))
	align := make([]tw.Align, len(columns))
	for i, c := range columns {
		titles[i], align[i] = p.paint.dim(c.title), tw.AlignLeft
		if c.right {
			align[i] = tw.AlignRight
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: strings.Repeat(" ", columnGap), Overwrite: true}},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	table := tablewriter.NewTable(&out,
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Behavior: tw.Behavior{TrimSpace: tw.Off, TrimLine: tw.Off, TrimTab: tw.Off},
			Header:   cell,
			Row:      cell,
		}))
	table.Header(titles)
	if err := table.Bulk(rows); err != nil {
		return fmt.Errorf("lay out a table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("lay out a table: %w", err)
	}
	for line := range strings.Lines(out.String()) {
		p.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return nil
}
