// Package picture works out what is drawn of findings, and where on a line of
// time it stands. It knows no markup: renderers draw what it returns.
//
//	findings' marks, notes -> Of -> Picture: ticks, bands, lanes of bars
//	a finding's marks      -> Spark -> how much went on in each cell of the span
//
// Places are in percent of the span, so that a renderer needs no width.
package picture

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A Picture is lanes below one another, over one line of time.
type Picture struct {
	Span  Span
	Ticks []Tick
	Bands []Band
	Lanes []Lane
	More  int    // lanes that were left out
	Kinds []Kind // of the bars in it, in order of appearance: the legend
}

// A Span is the time that a picture shows.
type Span struct{ From, To audit.Time }

// X returns the place of t in percent of the span, from 0 to 100. A time
// outside the span is at the edge.
func (s Span) X(t audit.Time) float64 {
	if s.To <= s.From {
		return 0
	}
	return 100 * float64(min(max(t, s.From), s.To)-s.From) / float64(s.To-s.From)
}

// Len returns how long the span is.
func (s Span) Len() time.Duration { return s.To.Sub(s.From) }

// meets reports whether the time from one instant to another overlaps the span.
func (s Span) meets(from, to audit.Time) bool { return from <= s.To && to >= s.From }

// A Band is a time that concerns all lanes: a hole in a log, a restart.
type Band struct {
	Kind     string // of the note
	From, To audit.Time
	X, Width float64
}

// bandKinds are the kinds of notes that are drawn.
var bandKinds = map[string]bool{"hole": true, "restart": true, "watches-cut": true, "not-ready": true}

// MaxLanes is how many lanes a picture has at most: more than fit on a page tell
// nothing at a glance.
const MaxLanes = 40

// Of returns the picture of findings over a span. It uses only what is in a report, so
// a saved report has the same picture. Findings without marks have no lane.
func Of(findings []analysis.Finding, notes []analysis.Note, span Span) Picture {
	p := Picture{Span: span, Ticks: ticks(span), Bands: bands(notes, span)}
	for i := range findings {
		lanes, more := lanesOf(&findings[i], span)
		p.More += more
		for _, lane := range lanes {
			if len(p.Lanes) == MaxLanes {
				p.More++
				continue
			}
			p.Lanes = append(p.Lanes, lane)
			p.addKinds(lane.Bars)
		}
	}
	return p
}

func (p *Picture) addKinds(bars []Bar) {
	for _, bar := range bars {
		if !slices.Contains(p.Kinds, bar.Kind) {
			p.Kinds = append(p.Kinds, bar.Kind)
		}
	}
}

func bands(notes []analysis.Note, span Span) []Band {
	var all []Band
	for _, n := range notes {
		if !bandKinds[n.Kind] || n.From == 0 || !span.meets(n.From, max(n.From, n.To)) {
			continue
		}
		to := max(n.From, n.To)
		x := span.X(n.From)
		all = append(all, Band{Kind: n.Kind, From: n.From, To: to, X: x, Width: span.X(to) - x})
	}
	return all
}
