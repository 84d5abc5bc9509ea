package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// A drawing is a picture, ready for SVG.
type drawing struct {
	Ticks  []picture.Tick
	Bands  []stripe
	Lanes  []strip
	Curves []curve
	Legend []legend
	More   string
}

// A strip is a lane: its label, and the bars beside it.
type strip struct {
	Label, About string
	Whole        string // both, of which long names are cut to be drawn
	Spoken       string // the whole strip in words, for screen readers
	Card         int    // the number of its finding
	Severity     analysis.Severity
	Height       int  // in pixels
	Lasting      bool // see picture.Lane
	Middle       int  // where the line of a lasting thing is, in pixels
	Bars         []bar
	Ticks        []picture.Tick // behind the bars
	Bands        []stripe       // likewise
}

// A bar is a rectangle.
type bar struct {
	Class     string
	X, Width  string // in percent
	Y, Height int    // in pixels
	Edge      bool   // a line marks its beginning, since bars without a gap would look like one
	Text      string
}

// A stripe is a band across all lanes.
type stripe struct {
	Class, X, Width, Text string
	Line                  bool   // it is too short to have a width
	End                   string // where a line marks its end; empty for a hole, which is dotted
}

// A legend says what a shape means.
type legend struct{ Class, Text string }

// The measures of lanes, in pixels.
const (
	leastLane  = 40 // the label's two lines
	longLane   = 54 // where it has three
	longLabel  = 42 // characters, not pixels: how many fit into the second line
	rowHeight  = 18
	thinHeight = 10 // of a bar of what goes on
	lineHeight = 6  // of a bar of what is well
	fullHeight = 16 // of a bar of what is gone
)

// leastWidth is the width of a moment in percent. SVG draws nothing of a rectangle
// without a width, not even its edge.
const leastWidth = 0.05

// whole is the picture of the whole log, with its load.
func (b *builder) whole(findings []analysis.Finding) *drawing {
	if b.span.To <= b.span.From {
		return nil
	}
	d := b.draw(picture.Of(findings, b.r.Notes, b.span))
	d.Curves = b.curves(d)
	if len(d.Lanes)+len(d.Curves) == 0 {
		return nil
	}
	return d
}

// closer returns a picture of findings over the time that they took, with a margin,
// or nil if the picture of the whole log shows them well enough.
func (b *builder) closer(findings []analysis.Finding, s picture.Span) *drawing {
	if s.From == 0 || s.To <= s.From || 2*s.Len() > b.span.Len() {
		return nil
	}
	margin := s.Len() / 20
	s.From, s.To = max(s.From.Add(-margin), b.span.From), min(s.To.Add(margin), max(b.span.To, s.To))
	d := b.draw(picture.Of(findings, b.r.Notes, s))
	if len(d.Lanes) == 0 {
		return nil
	}
	return d
}

func (b *builder) draw(p picture.Picture) *drawing {
	d := &drawing{Ticks: p.Ticks}
	for i := range p.Bands {
		d.Bands = append(d.Bands, b.stripe(&p.Bands[i]))
	}
	titles := titlesOf(p.Lanes)
	for i := range p.Lanes {
		s := b.strip(&p.Lanes[i], titles[i])
		s.Ticks, s.Bands = d.Ticks, d.Bands
		d.Lanes = append(d.Lanes, s)
	}
	if p.More > 0 {
		d.More = fmt.Sprintf("%s are not drawn.", analysis.Counted(p.More, "more lane"))
	}
	d.Legend = legends(&p)
	return d
}

// stripes are the kinds of notes that are drawn, in words.
var stripes = map[string]string{
	"hole": "a hole in a log", "restart": "an API server restarted", "watches-cut": "many watches were cut",
	"not-ready": "an API server was not ready",
}

func (b *builder) stripe(band *picture.Band) stripe {
	text := stripes[band.Kind] + ": " + b.window(picture.Span{From: band.From, To: band.To})
	s := stripe{Class: "band-" + band.Kind, X: percent(band.X), Width: percent(band.Width), Text: text, Line: band.Width < 0.05}
	if !s.Line && band.Kind != "hole" {
		s.End = percent(band.X + band.Width)
	}
	return s
}

// legends says what the looks of bars and bands mean. Kinds that look alike share a
// legend; lanes name their kinds.
func legends(p *picture.Picture) []legend {
	var all []legend
	for _, k := range p.Kinds {
		class, text := "tone-"+string(k.Tone), Clean(k.Legend)
		i := slices.IndexFunc(all, func(l legend) bool { return l.Class == class })
		if i < 0 {
			all = append(all, legend{class, text})
			continue
		}
		all[i].Text += "; " + text
	}
	seen := map[string]bool{}
	for i := range p.Bands {
		if kind := p.Bands[i].Kind; !seen[kind] {
			seen[kind] = true
			all = append(all, legend{"band-" + kind, stripes[kind]})
		}
	}
	return all
}

func (b *builder) strip(l *picture.Lane, t title) strip {
	trouble, well := l.Told()
	counts := counted(trouble)
	drawn := t.drawn()
	about := strings.Join(nonEmpty(drawn.below(), analysis.And(counts)), ": ")
	whole := strings.Join(nonEmpty(t.below(), analysis.And(counts)), ": ")
	s := strip{
		Label: drawn.label, About: about, Whole: t.label + ", " + whole, Card: b.numbers[l.Finding], Severity: l.Severity,
		Height: laneHeight(l, about), Lasting: l.Lasting,
	}
	s.Middle = s.Height/2 - 1
	top := (s.Height - l.Rows*rowHeight) / 2
	for i := range l.Bars {
		s.Bars = append(s.Bars, b.bar(&l.Bars[i], top))
	}
	s.Spoken = t.label + ": " + strings.Join(nonEmpty(analysis.And(counts), b.around(trouble), b.well(well)), ", ")
	return s
}

func (b *builder) bar(from *picture.Bar, top int) bar {
	r := bar{
		Class: "tone-" + string(from.Kind.Tone), X: percent(from.X), Width: percent(max(from.Width, leastWidth)),
		Y: top + from.Row*rowHeight + (rowHeight-fullHeight)/2, Height: fullHeight,
		Edge: from.Kind.Tone == picture.Activity,
	}
	height := fullHeight
	switch from.Kind.Tone {
	case picture.Activity, picture.Open:
		height = thinHeight
	case picture.Alive:
		height = lineHeight
	}
	r.Y, r.Height = r.Y+(fullHeight-height)/2, height
	name := from.Kind.One
	if from.N > 1 {
		name = fmt.Sprintf("%d %s", from.N, from.Kind.Many)
	}
	r.Text = Clean(name) + ": " + b.exact(from)
	return r
}

// percent returns x as SVG reads it.
func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// laneHeight returns the height for a lane's bars and its label, which stands above
// about.
func laneHeight(l *picture.Lane, about string) int {
	least := leastLane
	if utf8.RuneCountInString(about) > longLabel {
		least = longLane
	}
	return max(l.Rows*rowHeight+4, least)
}
