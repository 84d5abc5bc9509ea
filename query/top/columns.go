package top

import (
	"strings"
	"unicode/utf8"
)

// columnGap is the space between columns.
const columnGap = 2

// widths returns how wide the widest cell of each column is.
func widths(rows [][]string) []int {
	columns := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			columns[i] = max(columns[i], utf8.RuneCountInString(cell))
		}
	}
	return columns
}

func sum(ns []int) (total int) {
	for _, n := range ns {
		total += n
	}
	return total
}

// goodKey is the width of a key below which figures give way, and minKey the
// least that one is cut to.
const (
	goodKey = 30
	minKey  = 12
)

// fit makes the widest columns narrower until all fit the room.
func fit(columns []int, room int, narrow bool) {
	for narrow && sum(columns) > room {
		widest := 0
		for i := range columns {
			if columns[i] > columns[widest] {
				widest = i
			}
		}
		if columns[widest] <= minKey {
			return
		}
		columns[widest]--
	}
}

// A style says how a cell is set.
type style struct {
	left  bool
	paint func(cell string) string // nil leaves it as it is
}

// layOut writes a row, each cell cut to the width of its column.
func layOut(row []string, columns []int, styles []style) string {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		cell = shorten(cell, columns[i])
		pad := strings.Repeat(" ", columns[i]-utf8.RuneCountInString(cell))
		if styles[i].paint != nil {
			cell = styles[i].paint(cell)
		}
		if styles[i].left {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return b.String()
}

// shorten cuts the middle out of a text: names often differ at their end, so more
// of that is kept. Service accounts all begin alike, so they keep only the end;
// API groups end alike, so resources with one keep only the beginning.
func shorten(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	head := (width - 1) / 3
	switch {
	case strings.HasPrefix(s, "system:serviceaccount:"):
		head = 0
	case strings.HasSuffix(s, ".k8s.io"):
		head = width - 1
	}
	return string(runes[:head]) + "…" + string(runes[len(runes)-(width-1-head):])
}
