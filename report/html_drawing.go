package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// A drawing is a picture in the words of SVG.
type drawing struct {
	Ticks  []picture.Tick
	Bands  []stripe
	Lanes  []strip
	Curves []curve
	Legend []legend
	More   string
}

// A strip is a lane: a label, and what is drawn beside it.
type strip struct {
	Label, About, Spoken string
	Card                 int
	Severity             analysis.Severity
	Height               int
	Lasting              bool
	Middle               int // where the line of a lasting thing is
	Bars                 []bar
	// What stands behind the bars.
	Ticks []picture.Tick
	Bands []stripe
}

// A bar is a rectangle. Edge marks where it begins: bars without a pause
// between them would look like one.
type bar struct {
	Class     string
	X, Width  string
	Y, Height int
	Edge      bool
	Text      string
}

// A stripe is a band across all lanes.
type stripe struct {
	Class, X, Width, Text string
	Line                  bool   // it has no length
	End                   string // where it ends, if lines show that: dots stand for a hole
}

// A legend says what a shape means.
type legend struct{ Class, Text string }

// The measures of lanes, in pixels.
const (
	leastLane  = 40 // the label's two lines
	longLane   = 54 // where it has three
	longLabel  = 42 // characters that fit into the second line
	rowHeight  = 18
	thinHeight = 10 // of what goes on
	lineHeight = 6  // of what is well
	fullHeight = 16 // of what is gone
)

// leastWidth is that of a moment, in percent: SVG draws nothing, no edge either,
// of a rectangle that has none.
const leastWidth = 0.05

// laneHeight is enough for the lane's bars and for what is said of it below its
// label.
func laneHeight(l *picture.Lane, about string) int {
	least := leastLane
	if utf8.RuneCountInString(about) > longLabel {
		least = longLane
	}
	return max(l.Rows*rowHeight+4, least)
}

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

// closer is a picture of findings over the time that they took, with a margin,
// or nil where the picture of the whole log shows them well enough.
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
	apart := toldApart(p.Lanes)
	for i := range p.Lanes {
		s := b.strip(&p.Lanes[i], apart[i])
		s.Ticks, s.Bands = d.Ticks, d.Bands
		d.Lanes = append(d.Lanes, s)
	}
	if p.More > 0 {
		d.More = fmt.Sprintf("%s are not drawn.", plural(int64(p.More), "more lane"))
	}
	d.Legend = legends(&p)
	return d
}

// stripes are the notes that are drawn, in words.
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

// legends says what the looks of bars and bands mean. Kinds that look alike
// are one: a lane says which it has.
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

// toldApart returns what tells lanes apart that have one name: the client, or
// where it is. Others need nothing.
func toldApart(lanes []picture.Lane) []string {
	named := map[[2]string][]int{}
	for i := range lanes {
		label, about := laneName(&lanes[i])
		named[[2]string{label, about}] = append(named[[2]string{label, about}], i)
	}
	apart := make([]string, len(lanes))
	for _, group := range named {
		clients := map[string]bool{}
		for _, i := range group {
			clients[product(&lanes[i].Subject)] = true
		}
		for _, i := range group {
			switch s := &lanes[i].Subject; {
			case len(group) > 1 && len(clients) == len(group):
				apart[i] = product(s)
			case len(group) > 1:
				apart[i] = Clean(s.SourceIP)
			}
		}
	}
	return apart
}

// product is the first word of a client's name of itself.
func product(s *analysis.Subject) string {
	word, _, _ := strings.Cut(s.UserAgent, " ")
	return Clean(word)
}

func (b *builder) strip(l *picture.Lane, apart string) strip {
	label, about := laneName(l)
	about = strings.Join(nonEmpty(about, apart), " by ")
	trouble, well := l.Told()
	counts := counted(trouble)
	about = strings.Join(nonEmpty(about, and(counts)), ": ")
	s := strip{
		Label: label, About: about, Card: b.numbers[l.Finding], Severity: l.Severity,
		Height: laneHeight(l, about), Lasting: l.Lasting,
	}
	s.Middle = s.Height/2 - 1
	top := (s.Height - l.Rows*rowHeight) / 2
	for i := range l.Bars {
		s.Bars = append(s.Bars, b.bar(&l.Bars[i], top))
	}
	s.Spoken = label + ": " + strings.Join(nonEmpty(and(counts), b.around(trouble), b.well(well)), ", ")
	return s
}

// counted says how many there are of each kind.
func counted(bars []picture.Bar) (counts []string) {
	for _, c := range picture.Count(bars) {
		name := c.Kind.Many
		if c.N == 1 {
			name = c.Kind.One
		}
		counts = append(counts, fmt.Sprintf("%d %s", c.N, Clean(name)))
	}
	return counts
}

// around says when bars are, from the first one's begin to the last end.
func (b *builder) around(bars []picture.Bar) string {
	if len(bars) == 0 {
		return ""
	}
	last := bars[0].To
	for i := range bars {
		last = max(last, bars[i].To)
	}
	return b.window(picture.Span{From: bars[0].From, To: last})
}

// well says when all was well, if that is drawn.
func (b *builder) well(bars []picture.Bar) string {
	if len(bars) == 0 {
		return ""
	}
	return "heard " + and(b.each(bars))
}

// each says of the first few bars when they are.
func (b *builder) each(bars []picture.Bar) (times []string) {
	const most = 3
	for i := range bars[:min(len(bars), most)] {
		text := b.clock.at(bars[i].From)
		if bars[i].To > bars[i].From {
			text += " to " + b.clock.at(bars[i].To)
		}
		times = append(times, text)
	}
	if more := len(bars) - most; more > 0 {
		times = append(times, fmt.Sprintf("%d more", more))
	}
	return times
}

func nonEmpty(texts ...string) []string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
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

// exact says to the millisecond when a bar is.
func (b *builder) exact(from *picture.Bar) string {
	layout := b.clock.layout + ".000"
	if from.To <= from.From {
		return from.From.Std().Format(layout)
	}
	return fmt.Sprintf("%s to %s, %s", from.From.Std().Format(layout), from.To.Std().Format(layout),
		from.To.Sub(from.From).Round(time.Millisecond))
}

// laneName says whose lane it is, and what it is about.
func laneName(l *picture.Lane) (label, about string) {
	s := &l.Subject
	switch {
	case l.Label != "" && (s.Node != "" || s.Resource == "nodes"):
		return Clean(l.Label), "node"
	case l.Label != "":
		return Clean(l.Label), Clean(s.Resource)
	case s.Node != "":
		return Clean(s.Node), "node"
	case l.Lasting && object(s) != "":
		return object(s), ""
	case s.User != "":
		// What all service accounts begin with would push out of sight what tells
		// them apart.
		return Clean(strings.TrimPrefix(s.User, "system:serviceaccount:")), object(s)
	case object(s) != "":
		return object(s), ""
	case s.SourceIP != "":
		return Clean(s.SourceIP), ""
	}
	return Clean(l.Finding), ""
}

// percent returns x as SVG reads it.
func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }
