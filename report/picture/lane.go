package picture

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A Lane is what happened to one client or object.
type Lane struct {
	Finding  string // ID
	Severity analysis.Severity
	Label    string           // of its marks, such as a node; "" if the finding's subject names it
	Subject  analysis.Subject // of the finding
	Cause    string           // what the finding's details name: a webhook, a plugin, or its kind
	Bars     []Bar            // in order of time
	Rows     int              // bars that overlap stand in different rows
	Lasting  bool             // it exists except for its bars: endpoints, a node, a lease
}

// A Bar is a mark in its lane.
type Bar struct {
	Kind     Kind
	From, To audit.Time
	N        int     // how many marks it stands for
	X, Width float64 // in percent of the span
	Row      int     // from 0
}

// maxLanesOfOne is how many lanes a finding has at most: 500 silent nodes are one
// story, and the first dozen tells it.
const maxLanesOfOne = 12

// How many rows a lane has at most. If more bars overlap, they are drawn over one
// another.
const (
	maxRows = 6
	fewBars = 12 // rows of a lane with no more bars than this: each of these is worth a look
)

// lanesOf returns the lanes of a finding, one for each label of its marks, and
// how many were left out.
func lanesOf(f *analysis.Finding, span Span) (lanes []Lane, more int) {
	byLabel := map[string]int{}
	for _, m := range f.Marks {
		bar := barOf(m, span)
		if !span.meets(bar.From, bar.To) {
			continue
		}
		at, ok := byLabel[m.Label]
		if !ok {
			at = len(lanes)
			byLabel[m.Label] = at
			lanes = append(lanes, Lane{Finding: f.ID, Severity: f.Severity, Label: m.Label, Subject: f.Subject, Cause: causeOf(f)})
		}
		lanes[at].Bars = append(lanes[at].Bars, bar)
	}
	for i := maxLanesOfOne; i < len(lanes); i++ {
		more += lanes[i].size()
	}
	lanes = lanes[:min(len(lanes), maxLanesOfOne)]
	for i := range lanes {
		lanes[i].arrange()
	}
	return lanes, more
}

// causeOf returns what the finding's details name first of these.
func causeOf(f *analysis.Finding) string {
	return cmp.Or(f.Details.Text("webhook"), f.Details.Text("plugin"), f.Details.Text("kind"))
}

// size returns how many lanes l stands for: marks of many nodes that were joined have
// no label.
func (l *Lane) size() int {
	if l.Label != "" {
		return 1
	}
	n := 0
	for i := range l.Bars {
		n += l.Bars[i].N
	}
	return n
}

func barOf(m analysis.Mark, span Span) Bar {
	to := m.To
	if to == 0 {
		to = span.To
	}
	to = max(to, m.From)
	x := span.X(m.From)
	return Bar{Kind: kindOf(m.Kind), From: m.From, To: to, N: max(m.N, 1), X: x, Width: span.X(to) - x}
}

// arrange gives each bar the first row that is free where it begins, or the one
// with the fewest bars.
func (l *Lane) arrange() {
	slices.SortStableFunc(l.Bars, func(a, b Bar) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	rows := maxRows
	if len(l.Bars) <= fewBars {
		rows = fewBars
	}
	var ends []audit.Time
	var held []int // bars in the row
	l.Lasting = true
	for i := range l.Bars {
		bar := &l.Bars[i]
		l.Lasting = l.Lasting && bar.Kind.Tone == Loss
		for bar.Row < len(ends) && ends[bar.Row] > bar.From {
			bar.Row++
		}
		switch {
		case bar.Row < len(ends):
			ends[bar.Row] = bar.To
		case len(ends) < rows:
			ends, held = append(ends, bar.To), append(held, 0)
		default:
			bar.Row = slices.Index(held, slices.Min(held))
			ends[bar.Row] = max(ends[bar.Row], bar.To)
		}
		held[bar.Row]++
	}
	l.Rows = len(ends)
}

// Told returns the bars of what the finding is about, and those of the time
// when all was well.
func (l *Lane) Told() (trouble, well []Bar) {
	for _, bar := range l.Bars {
		if bar.Kind.Tone == Alive {
			well = append(well, bar)
		} else {
			trouble = append(trouble, bar)
		}
	}
	return trouble, well
}

// Count returns how many marks of each kind bars stand for, in order of
// appearance.
func Count(bars []Bar) []Counted {
	var all []Counted
	for _, bar := range bars {
		i := slices.IndexFunc(all, func(c Counted) bool { return c.Kind == bar.Kind })
		if i < 0 {
			i = len(all)
			all = append(all, Counted{Kind: bar.Kind})
		}
		all[i].N += bar.N
	}
	return all
}

// A Counted is how many marks of a kind there are.
type Counted struct {
	Kind Kind
	N    int
}
