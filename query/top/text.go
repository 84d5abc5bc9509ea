package top

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/report"
)

// Text writes the table for a person. To fit the look's width it leaves figures out
// and shortens keys; with width 0 it is as wide as it needs to be. Notes are not
// part of it.
func (t *Table) Text(w io.Writer, look report.Look) error {
	width := look.Width
	shown := figures(t.By, t.Total.LongRunning.Requests > 0)
	var columns []int
	var rows [][]string
	for {
		rows = t.cells(shown)
		columns = widths(rows)
		room := width - sum(columns[len(t.Keys):]) - columnGap*(len(columns)-1)
		if width <= 0 || room >= min(sum(columns[:len(t.Keys)]), goodKey*len(t.Keys)) || !dropOne(&shown) {
			fit(columns[:len(t.Keys)], room, width > 0)
			break
		}
	}
	out := bufio.NewWriter(w)
	for i, row := range rows {
		line := layOut(row, columns, t.styles(look, shown, i == 0))
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.Flush()
}

// styles returns how the cells of a row are set: keys to the left, and figures as they say.
// What fails is coloured, and codes are by their meaning.
func (t *Table) styles(look report.Look, shown []figure, head bool) []style {
	all := make([]style, len(t.Keys), len(t.Keys)+len(shown))
	for i, key := range t.Keys {
		all[i].left = true
		if key == "code" && !head {
			all[i].paint = func(cell string) string {
				n, _ := strconv.Atoi(cell)
				return look.Outcome(n, cell == "panic", cell)
			}
		}
	}
	for _, f := range shown {
		s := style{left: f.left}
		if f.paint != nil && !head {
			s.paint = func(cell string) string { return f.paint(look, cell) }
		}
		all = append(all, s)
	}
	return all
}

// dropOne drops the figure that is missed least. It reports false if all must stay.
func dropOne(shown *[]figure) bool {
	least := -1
	for i, f := range *shown {
		if f.spare > 0 && (least < 0 || f.spare < (*shown)[least].spare) {
			least = i
		}
	}
	if least < 0 {
		return false
	}
	*shown = slices.Delete(*shown, least, least+1)
	return true
}

// cells returns the table's text, the titles first.
func (t *Table) cells(shown []figure) [][]string {
	head := upper(t.Keys)
	for _, f := range shown {
		head = append(head, f.title)
	}
	rows := [][]string{head}
	add := func(key []string, r *Row) {
		for _, f := range shown {
			key = append(key, f.cell(r))
		}
		rows = append(rows, key)
	}
	for i := range t.Rows {
		add(keyCells(t.Rows[i].Key), &t.Rows[i])
	}
	if t.Rest != nil {
		key := make([]string, len(t.Keys))
		about := ""
		if t.Estimated {
			about = "about "
		}
		key[0] = fmt.Sprintf("(%s%d others)", about, t.Distinct-int64(len(t.Rows)))
		add(key, t.Rest)
	}
	return rows
}

func upper(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		if !strings.HasPrefix(n, annotationKey) { // those are case-sensitive
			n = strings.ToUpper(n)
		}
		out[i] = report.Clean(n)
	}
	return out
}

// keyCells returns a key's values, cleaned, with a dash for one that is empty.
func keyCells(key []string) []string {
	out := make([]string, len(key))
	for i, k := range key {
		out[i] = report.Clean(k)
		if k == "" {
			out[i] = "-"
		}
	}
	return out
}
