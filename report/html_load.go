package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// A curve is a number over time, on the picture's line of time.
type curve struct {
	Label, About, Spoken string
	Class                string
	X, Width             string // in percent
	Steps                int    // the width of Path's own units; its height is 100
	Path                 string
	Ticks                []picture.Tick
	Bands                []stripe
}

func (b *builder) curves(d *drawing) []curve {
	v := &b.r.Overview
	requests, errors := sum(v.Requests), sum(v.Errors)
	if requests == 0 || v.StepSeconds <= 0 || v.From == 0 {
		return nil
	}
	all := []curve{b.curve("Requests", "curve-requests", v.Requests, "")}
	if errors > 0 {
		share := fmt.Sprintf(", %.2g %% of all", 100*float64(errors)/float64(requests))
		all = append(all, b.curve("Answered 4xx or 5xx", "curve-errors", v.Errors, share))
	}
	for i := range all {
		all[i].Ticks, all[i].Bands = d.Ticks, d.Bands
	}
	return all
}

func (b *builder) curve(label, class string, values []int64, more string) curve {
	v := &b.r.Overview
	end := v.From.Add(time.Duration(v.StepSeconds) * time.Second * time.Duration(len(values)))
	x := b.span.X(v.From)
	c := curve{
		Label: label, Class: class, X: percent(x), Width: percent(b.span.X(end) - x),
		Steps: len(values), Path: steps(values),
	}
	most, at := int64(0), 0
	for i, n := range values {
		if n > most {
			most, at = n, i
		}
	}
	when := v.From.Add(time.Duration(v.StepSeconds*int64(at)) * time.Second)
	c.About = fmt.Sprintf("%s, peak %s/s%s", number(sum(values)), rate(most, v.StepSeconds), more)
	c.Spoken = fmt.Sprintf("%s: %d in all%s, at most %s a second at %s", label, sum(values), more, rate(most, v.StepSeconds), b.clock.at(when))
	return c
}

// steps returns the path of an SVG that draws values as an area, 100 units high and
// each one unit wide.
func steps(values []int64) string {
	most := int64(1)
	for _, n := range values {
		most = max(most, n)
	}
	var path strings.Builder
	path.WriteString("M0 100")
	for i, n := range values {
		fmt.Fprintf(&path, "V%.1fH%d", 100-100*float64(n)/float64(most), i+1)
	}
	path.WriteString("V100Z")
	return path.String()
}

func sum(values []int64) int64 {
	var all int64
	for _, n := range values {
		all += n
	}
	return all
}

func rate(n, seconds int64) string { return fmt.Sprintf("%.3g", float64(n)/float64(seconds)) }

// A bucket is a bar of the distribution of latencies.
type bucket struct{ Bound, Count, Share, Width string }

// buckets returns the distribution without the empty buckets at both ends.
func buckets(l *analysis.OverviewLatency) []bucket {
	total, most := sum(l.Counts), int64(1)
	first, last := -1, -1
	for i, n := range l.Counts {
		most = max(most, n)
		if n > 0 {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	var all []bucket
	for i := first; i <= last; i++ {
		n := l.Counts[i]
		all = append(all, bucket{
			bound(l.BoundsMicros, i), number(n),
			fmt.Sprintf("%.1f %%", 100*float64(n)/float64(total)), percent(100 * float64(n) / float64(most)),
		})
	}
	return all
}

func bound(bounds []int64, i int) string {
	switch {
	case i < len(bounds):
		return "up to " + duration(time.Duration(bounds[i])*time.Microsecond)
	case len(bounds) > 0:
		return "over " + duration(time.Duration(bounds[len(bounds)-1])*time.Microsecond)
	}
	return "any"
}

// A busyClient is a row of the table of clients.
type busyClient struct{ User, Agent, IP, Requests, Share, Errors, ErrorShare, Width string }

func busyClients(r *Report) []busyClient {
	total, most := sum(r.Overview.Requests), int64(1)
	for _, c := range r.Overview.Clients {
		most = max(most, c.Requests)
	}
	var all []busyClient
	for _, c := range r.Overview.Clients {
		all = append(all, busyClient{
			User: cmp.Or(Clean(c.User), "(not named)"), Agent: Clean(c.UserAgent), IP: Clean(c.SourceIP),
			Requests: number(c.Requests), Share: ratio(c.Requests, total),
			Errors: number(c.Errors), ErrorShare: ratio(c.Errors, c.Requests),
			Width: percent(100 * float64(c.Requests) / float64(most)),
		})
	}
	return all
}

func ratio(n, of int64) string {
	if of <= 0 || n < 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}
