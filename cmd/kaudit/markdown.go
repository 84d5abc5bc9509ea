package main

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// plainMarkdown sets a page of Markdown for a terminal of the given width:
// headings in capitals, paragraphs and items filled, code and tables as they
// stand, no marks.
func plainMarkdown(page string, width int) string {
	var b strings.Builder
	for i, block := range markdownBlocks(page) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(block.plain(width))
	}
	return b.String()
}

// A markdownBlock is a heading, a paragraph, a list, a table, or, if verbatim,
// lines of code.
type markdownBlock struct {
	lines    []string
	verbatim bool
}

// markdownBlocks cuts a page at blank lines, headings and code fences.
func markdownBlocks(page string) []markdownBlock {
	var blocks []markdownBlock
	var current markdownBlock
	end := func() {
		if len(current.lines) > 0 {
			blocks = append(blocks, current)
		}
		current = markdownBlock{}
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, " \n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced := current.verbatim
			end()
			current.verbatim = !fenced
		case current.verbatim:
			current.lines = append(current.lines, "    "+line)
		case line == "":
			end()
		case strings.HasPrefix(line, "#"):
			end()
			current.lines = []string{line}
			end()
		default:
			current.lines = append(current.lines, line)
		}
	}
	end()
	return blocks
}

func (b markdownBlock) plain(width int) string {
	first := b.lines[0]
	switch {
	case b.verbatim, strings.HasPrefix(first, "    "):
		return verbatim(b.lines, width)
	case strings.HasPrefix(first, "# "):
		return fill(inline(strings.TrimPrefix(first, "# ")), "", "  ", width)
	case strings.HasPrefix(first, "#"):
		return strings.ToUpper(inline(strings.TrimLeft(first, "# "))) + "\n"
	case strings.HasPrefix(first, "|"):
		return alignTable(b.lines, width)
	}
	var out strings.Builder
	for _, item := range items(b.lines) {
		out.WriteString(fill(inline(item.text), item.first, item.rest, width))
	}
	return out.String()
}

// verbatim returns lines as they stand. One that is wider than the terminal,
// which would break it anywhere, is broken at spaces.
func verbatim(lines []string, width int) string {
	var b strings.Builder
	for _, line := range lines {
		if utf8.RuneCountInString(line) <= width {
			b.WriteString(line + "\n")
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		b.WriteString(fill(line, indent, indent+"  ", width))
	}
	return b.String()
}

// An item is a paragraph, or one point of a list, with what stands before its
// first line and before the others.
type item struct{ first, rest, text string }

var bullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)([-*]|\d+\.) +`) })

// items joins the lines of a block into paragraphs and points of a list.
func items(lines []string) []item {
	var all []item
	for _, line := range lines {
		if mark := bullet().FindString(line); mark != "" {
			all = append(all, item{mark, strings.Repeat(" ", len(mark)), line[len(mark):]})
			continue
		}
		if len(all) == 0 {
			all = append(all, item{})
		}
		last := &all[len(all)-1]
		last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(line))
	}
	return all
}

var (
	link   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]+)\]\((https?://[^)]+)\)`) })
	strong = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\*\*([^*]+)\*\*`) })
)

// inline drops the marks inside a line and writes out the addresses of links.
// Backquotes stay: they show what is to be typed.
func inline(s string) string {
	s = link().ReplaceAllString(s, "$1 <$2>")
	return strings.ReplaceAll(strong().ReplaceAllString(s, "$1"), `\|`, "|")
}

// fill breaks text at spaces so that no line is wider than width, where words
// allow.
func fill(text, first, rest string, width int) string {
	var b strings.Builder
	b.WriteString(first)
	column, indent := utf8.RuneCountInString(first), rest
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}

// narrow is the least width that the last column of a table is filled to.
const narrow = 30

// alignTable sets a table of Markdown with its columns aligned and its last
// column filled. Where that leaves too little room, the cells after the first
// are filled as one text.
func alignTable(lines []string, width int) string {
	var rows [][]string
	var widths []int
	for _, line := range lines {
		row := cells(line)
		if strings.Trim(strings.Join(row, ""), "-: ") == "" {
			continue // the rule below the heading
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
		rows = append(rows, row)
	}
	before := 2
	for _, n := range widths[:max(len(widths)-1, 0)] {
		before += n + 2
	}
	var b strings.Builder
	for _, row := range rows {
		if before+narrow > width && len(row) > 2 {
			row = []string{row[0], strings.Join(row[1:], "; ")}
		}
		first := "  "
		last := len(row) - 1
		for i, cell := range row[:last] {
			first += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(fill(row[last], first, strings.Repeat(" ", utf8.RuneCountInString(first)), width))
	}
	return b.String()
}

var cellEdge = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^\\])\|`) })

func cells(line string) []string {
	line = strings.Trim(line, " ")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var row []string
	for {
		at := cellEdge().FindStringIndex(line)
		if at == nil {
			return append(row, inline(strings.TrimSpace(line)))
		}
		row = append(row, inline(strings.TrimSpace(line[:at[1]-1])))
		line = line[at[1]:]
	}
}
