package top

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/report"
)

// A figure is a column beside the keys.
type figure struct {
	title string
	cell  func(r *Row) string
	spare int // the lowest is the first to go if there is no room; 0 always stays
}

// orders names the figure that rows are sorted by. It always stays, so that the
// order can be seen.
var orders = map[Measure]string{ByCount: "COUNT", ByErrors: "ERRORS", ByLatency: "P95", ByBytes: "BYTES"}

func figures(by Measure, long bool) []figure {
	all := []figure{
		{"COUNT", func(r *Row) string { return strconv.FormatInt(r.Requests, 10) }, 0},
		{"SHARE", func(r *Row) string { return fmt.Sprintf("%.1f%%", 100*r.Share) }, 7},
		{"RATE", func(r *Row) string { return rate(r.Rate) }, 3},
		{"ERRORS", func(r *Row) string { return strconv.FormatInt(r.Errors, 10) }, 0},
		{"P50", func(r *Row) string { return took(&r.Latency, r.Latency.P50) }, 4},
		{"P95", func(r *Row) string { return took(&r.Latency, r.Latency.P95) }, 9},
		{"P99", func(r *Row) string { return took(&r.Latency, r.Latency.P99) }, 2},
		{"MAX", func(r *Row) string { return took(&r.Latency, r.Latency.Max) }, 0},
		{"LONG", func(r *Row) string { return strconv.FormatInt(r.LongRunning.Requests, 10) }, 6},
		{"LONG MAX", func(r *Row) string { return took(&r.LongRunning, r.LongRunning.Max) }, 5},
		{"BYTES", func(r *Row) string { return size(r.Bytes) }, 1},
		{"TIME", func(r *Row) string { return spark(r.Times) }, 8},
	}
	for i := range all {
		if all[i].title == orders[by] {
			all[i].spare = 0
		}
	}
	if !long {
		all = slices.DeleteFunc(all, func(f figure) bool { return strings.HasPrefix(f.title, "LONG") })
	}
	return all
}

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
		paint := t.painting(look, shown, i == 0)
		out.WriteString(strings.TrimRight(layOut(row, columns, len(t.Keys), shown[len(shown)-1].title == "TIME", paint), " ") + "\n")
	}
	return out.Flush()
}

// painting returns what colours the cells of a row: errors, codes by their meaning,
// and the line of time dim.
func (t *Table) painting(look report.Look, shown []figure, head bool) func(column int, cell string) string {
	return func(column int, cell string) string {
		switch {
		case head:
		case column < len(t.Keys) && t.Keys[column] == "code":
			n, _ := strconv.Atoi(cell)
			return look.Outcome(n, cell == "panic", cell)
		case column < len(t.Keys):
		case shown[column-len(t.Keys)].title == "ERRORS" && cell != "0":
			return look.Outcome(500, false, cell)
		case shown[column-len(t.Keys)].title == "TIME":
			return look.Dim(cell)
		}
		return cell
	}
}

const columnGap = 2

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

// rate writes a rate in the unit in which it is no tiny fraction.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return fmt.Sprintf("%.0f/s", perSecond)
	case perSecond >= 0.1:
		return fmt.Sprintf("%.1f/s", perSecond)
	case perSecond*60 >= 0.1:
		return fmt.Sprintf("%.1f/min", perSecond*60)
	}
	return fmt.Sprintf("%.1f/h", perSecond*3600)
}

// took writes a latency, given in seconds, with two or three digits; "-" if there is none.
func took(l *Latency, seconds float64) string {
	if l.Requests == 0 {
		return "-"
	}
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

func size(n int64) string {
	const k = 1000
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.1f kB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/k/k)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/k/k/k)
}

// sparkWidth is how many marks a spark line has at most.
const sparkWidth = 16

var sparks = []rune("▁▂▃▄▅▆▇█")

// spark draws counts over time, each mark by its share of the highest. No
// event at all is a blank.
func spark(counts []uint32) string {
	per := (len(counts) + sparkWidth - 1) / sparkWidth
	var sums []uint64
	var most uint64
	for i, n := range counts {
		if i%max(per, 1) == 0 {
			sums = append(sums, 0)
		}
		sums[len(sums)-1] += uint64(n)
		most = max(most, sums[len(sums)-1])
	}
	out := make([]rune, len(sums))
	for i, n := range sums {
		out[i] = ' '
		if n > 0 {
			out[i] = sparks[n*uint64(len(sparks)-1)/most]
		}
	}
	return string(out)
}

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

// layOut writes a row: keys to the left, numbers to the right, and the spark
// line, which is last if it is there, to the left.
func layOut(row []string, columns []int, keys int, sparks bool, paint func(column int, cell string) string) string {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		cell = shorten(cell, columns[i])
		pad := strings.Repeat(" ", columns[i]-utf8.RuneCountInString(cell))
		if i < keys || sparks && i == len(row)-1 {
			b.WriteString(paint(i, cell) + pad)
		} else {
			b.WriteString(pad + paint(i, cell))
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
