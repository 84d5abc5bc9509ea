package report

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// columns returns how wide s is on a terminal. It asks the table library, so that what
// is wrapped here fits its cells, and ignores the environment, so that a report looks
// the same everywhere.
func columns(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// wrap breaks s, which is clean, into lines of at most width columns: at
// spaces, and inside words that are wider than a line.
func wrap(s string, width int) []string { return fill(strings.FieldsSeq(s), max(width, 1), true) }

// fill sets words in lines of at most width columns, at least one line. A word that
// is wider than a line is broken, or else has a line of its own.
func fill(words iter.Seq[string], width int, broken bool) []string {
	var lines []string
	line := ""
	for word := range words {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
		for broken && columns(line) > width {
			cut := fitting(line, width)
			lines = append(lines, line[:cut])
			line = line[cut:]
		}
	}
	return append(lines, line)
}

// fitting returns how many bytes of s fit into width columns: whole runes, and at
// least one. If it can, it ends behind a separator rather than inside a name.
func fitting(s string, width int) int {
	used, cut, good := 0, 0, 0
	for i, r := range s {
		size := utf8.RuneLen(r)
		if used += columns(s[i : i+size]); used > width && cut > 0 {
			break
		}
		cut = i + size
		if strings.ContainsRune("/:,;=@-", r) {
			good = cut
		}
	}
	if 2*good > cut {
		return good
	}
	return cut
}

// wrapAll wraps several texts one below the other, as one cell of a table.
// Empty texts take no line.
func wrapAll(width int, texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text != "" {
			lines = append(lines, wrap(text, width)...)
		}
	}
	return strings.Join(lines, "\n")
}

// A page is text that is being written, fitted to a width.
type page struct {
	strings.Builder
	width int // in columns
	paint painter
}

// heading begins a section.
func (p *page) heading(text string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(p.paint.bold(text) + "\n")
}

// para writes clean text, indented, wrapped.
func (p *page) para(indent int, text string) {
	for _, line := range wrap(text, p.width-indent) {
		p.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
}

// cited writes a place, which is never broken, and clean text after it, wrapped
// and indented further.
func (p *page) cited(indent int, place, text string) {
	text = strings.Join(strings.Fields(text), " ")
	first := ""
	if room := p.width - indent - columns(place) - 1; room > 0 {
		if first = wrap(text, room)[0]; !strings.HasPrefix(text+" ", first+" ") {
			first = "" // not even one word fits
		}
	}
	p.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+place+" "+first, " ") + "\n")
	if rest := strings.TrimSpace(text[len(first):]); rest != "" {
		p.para(indent+2, rest)
	}
}

// item writes a label, which takes room columns, and clean texts beside it, each on a
// line of its own. Empty texts are left out.
func (p *page) item(indent, room int, label string, texts ...string) {
	p.labelled(p.paint.dim(label), columns(label), indent, room, texts)
}

// labelled writes a label that is wide columns wide, however it is painted,
// and texts beside it.
func (p *page) labelled(label string, wide, indent, room int, texts []string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		for _, line := range wrap(text, p.width-indent-room) {
			p.WriteString(strings.Repeat(" ", indent) + label + strings.Repeat(" ", max(room-wide, 0)) + line + "\n")
			label, wide = "", 0
		}
	}
}
