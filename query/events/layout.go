package events

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kaudit/kaudit/report"
)

// A layout says where the last two columns of a line stand, objects and clients.
type layout struct {
	column      int  // where objects begin, from 0
	least, most int  // bounds of the width of the column of objects, in characters
	stacked     bool // clients stand on lines of their own
}

// The bounds of the width of the column of objects if there is room. A longer
// object shifts only the rest of its own line.
const (
	minObject = 40
	maxObject = 64
)

// With less room, objects and clients have at least these widths. If even these do
// not fit, clients stand on lines of their own, and so do objects that are too long.
const (
	scantObject = 30
	scantClient = 40
	indent      = 4
)

// newLayout fits a line to its width.
func newLayout(o *Options) layout {
	l := layout{column: len(timeLayout + "  LATENCY  VERB     CODE  "), least: minObject, most: maxObject}
	if o.Stages {
		l.column += len("  ") + 16
	}
	if o.Look.Width > 0 {
		l.most = min(maxObject, o.Look.Width-l.column-len("  ")-scantClient)
		l.least = min(minObject, l.most)
		l.stacked = l.most < scantObject
	}
	return l
}

// rest returns what follows the code: the object in a column of the given width,
// and the client. before is by how many characters the columns before are too long.
func (l layout) rest(look report.Look, before, width int, object, client string) string {
	asItIs := func(text string) string { return text }
	column, long := l.column+before, utf8.RuneCountInString(object)
	switch {
	case look.Width <= 0:
		return fmt.Sprintf("  %-*s  %s", width, object, client)
	case !l.stacked && before == 0 && long <= width:
		return fmt.Sprintf("  %-*s  %s", width, object, look.Break(client, column+width+len("  "), asItIs))
	case !l.stacked && column+long <= look.Width:
		column = l.column + width + len("  ")
		return "  " + object + below(column) + look.Break(client, column, asItIs)
	case column+long <= look.Width:
		return "  " + object + below(indent) + look.Break(client, indent, asItIs)
	}
	return below(indent) + look.Break(object, indent, asItIs) + below(indent) + look.Break(client, indent, asItIs)
}

// below begins a line at a column.
func below(column int) string { return "\n" + strings.Repeat(" ", column) }
