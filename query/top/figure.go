package top

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// A figure is a column beside the keys.
type figure struct {
	title string
	cell  func(r *Row) string
	spare int                                        // the lowest is the first to go if there is no room; 0 always stays
	paint func(look report.Look, cell string) string // colours it; nil leaves it as it is
	left  bool                                       // it is set to the left, as text is
}

// orders names the figure that rows are sorted by. It always stays, so that the
// order can be seen.
var orders = map[Measure]string{ByCount: "COUNT", ByErrors: "ERRORS", ByLatency: "P95", ByBytes: "BYTES"}

// figures returns the columns beside the keys, in order; long asks for those about
// long-running requests, too.
func figures(by Measure, long bool) []figure {
	all := []figure{
		{title: "COUNT", cell: func(r *Row) string { return strconv.FormatInt(r.Requests, 10) }},
		{title: "SHARE", cell: func(r *Row) string { return fmt.Sprintf("%.1f%%", 100*r.Share) }, spare: 7},
		{title: "RATE", cell: func(r *Row) string { return rate(r.Rate) }, spare: 3},
		{title: "ERRORS", cell: func(r *Row) string { return strconv.FormatInt(r.Errors, 10) }, paint: paintErrors},
		{title: "P50", cell: func(r *Row) string { return took(&r.Latency, r.Latency.P50) }, spare: 4},
		{title: "P95", cell: func(r *Row) string { return took(&r.Latency, r.Latency.P95) }, spare: 9},
		{title: "P99", cell: func(r *Row) string { return took(&r.Latency, r.Latency.P99) }, spare: 2},
		{title: "MAX", cell: func(r *Row) string { return took(&r.Latency, r.Latency.Max) }},
		{title: "LONG", cell: func(r *Row) string { return strconv.FormatInt(r.LongRunning.Requests, 10) }, spare: 6},
		{title: "LONG MAX", cell: func(r *Row) string { return took(&r.LongRunning, r.LongRunning.Max) }, spare: 5},
		{title: "BYTES", cell: func(r *Row) string { return size(r.Bytes) }, spare: 1},
		{title: "TIME", cell: func(r *Row) string { return spark(r.Times) }, spare: 8, paint: report.Look.Dim, left: true},
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

func paintErrors(look report.Look, cell string) string {
	if cell == "0" {
		return cell
	}
	return look.Outcome(500, false, cell)
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

// took writes a latency, given in seconds; "-" if there is none.
func took(l *Latency, seconds float64) string {
	if l.Requests == 0 {
		return "-"
	}
	return query.Short(time.Duration(seconds * float64(time.Second)))
}

// size writes a number of bytes.
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
