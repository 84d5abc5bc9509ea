package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// A tale is an incident on the page.
type tale struct {
	N                           int
	Severity                    analysis.Severity
	Confidence                  analysis.Confidence
	Title, Window               string
	Cause, Remedy, Avoid, Proof string
	Sequence                    []moment
	Picture                     *drawing
	Cards                       []card
}

// A moment is a line of an incident's sequence.
type moment struct{ Time, Text string }

// A card is a finding on the page.
type card struct {
	N                   int
	ID, Analyzer, Title string
	Severity            analysis.Severity
	Confidence          analysis.Confidence
	Count, Window       string
	Client, Object      string
	Lasted              string // how long sessions lived
	Evidence            []proof
	Caveats             []string
	Picture             *drawing
	Heard               []heard
}

// A heard says when one of a finding's nodes was heard, for documents without
// pictures.
type heard struct {
	Label string
	Spark string // when it was heard, over the span of the log
	Else  string // when it was not, and how
}

// A proof is a line of the log.
type proof struct {
	Place, Time, Stage, Summary, AuditID string
}

func (b *builder) tale(n int, s *story) tale {
	t := tale{
		N: n, Severity: s.Severity, Confidence: s.Confidence, Title: titleOf(s.Incident),
		Window: dated(picture.Span{From: s.First, To: s.Last}),
		Cause:  prose(s.Cause), Remedy: prose(s.Remedy), Avoid: prose(s.Avoid), Proof: prose(s.Proof),
		Cards: b.cards(s.findings),
	}
	for _, e := range s.Timeline {
		t.Sequence = append(t.Sequence, moment{b.clock.at(e.Time), Clean(e.Text)})
	}
	findings := make([]analysis.Finding, len(s.findings))
	for i, f := range s.findings {
		findings[i] = *f
	}
	t.Picture = b.closer(findings, picture.Span{From: s.First, To: s.Last})
	return t
}

func (b *builder) cards(findings []*analysis.Finding) []card {
	var all []card
	for _, f := range findings {
		all = append(all, b.card(f))
	}
	return all
}

func (b *builder) card(f *analysis.Finding) card {
	c := card{
		N: b.numbers[f.ID], ID: Clean(f.ID), Analyzer: Clean(f.Analyzer), Title: Clean(upper(f)),
		Severity: f.Severity, Confidence: f.Confidence,
		Count: strconv.Itoa(f.Count), Window: dated(picture.Span{From: f.First, To: f.Last}),
		Client: client(&f.Subject), Object: object(&f.Subject),
	}
	if f.Analyzer == hijackedLatency {
		c.Lasted = lives(f)
	}
	for i := range f.Evidence {
		c.Evidence = append(c.Evidence, b.proof(&f.Evidence[i]))
	}
	c.Heard = b.heard(f)
	for _, caveat := range f.Caveats {
		c.Caveats = append(c.Caveats, prose(caveat))
	}
	return c
}

// lives says how long the sessions that ended had lived, and for how long one that
// did not end was seen open.
func lives(f *analysis.Finding) string {
	ended := "none ended"
	if most := seconds(f, "maxSeconds"); most != "-" {
		ended = fmt.Sprintf("half lasted %s or less, 95 %% %s or less, the longest %s", seconds(f, "p50Seconds"), seconds(f, "p95Seconds"), most)
	}
	if open := seconds(f, longestOpen); open != "-" {
		return ended + "; one without an end was seen open for " + open
	}
	return ended
}

// heard returns a line for each lane of the finding that has bars of when all was
// well.
func (b *builder) heard(f *analysis.Finding) (all []heard) {
	p := picture.Of([]analysis.Finding{*f}, nil, b.span)
	for i := range p.Lanes {
		l := &p.Lanes[i]
		cells := l.Heard(b.span, sparkCells)
		if cells == nil {
			continue
		}
		label, _ := laneName(l)
		trouble, _ := l.Told()
		all = append(all, heard{label, sparkLine(cells), strings.Join(nonEmpty(analysis.And(counted(trouble)), analysis.And(b.each(trouble))), ": ")})
	}
	if p.More > 0 && len(all) > 0 {
		all = append(all, heard{Label: "and " + analysis.Counted(p.More, "more node")})
	}
	return all
}

func (b *builder) proof(e *analysis.Evidence) proof {
	return proof{
		Place: fmt.Sprintf("%s:%d", Clean(e.Source), e.Line), Time: b.clock.at(e.Time), Stage: e.Stage.String(),
		Summary: Clean(e.Summary), AuditID: Clean(e.AuditID),
	}
}

// window says when a span begins and ends, and how long it is.
func (b *builder) window(s picture.Span) string {
	switch {
	case s.From == 0 && s.To == 0:
		return ""
	case s.From == s.To || s.From == 0:
		return b.clock.at(s.To)
	case s.To == 0:
		return b.clock.at(s.From)
	}
	return fmt.Sprintf("%s to %s, %s", b.clock.at(s.From), b.clock.at(s.To), duration(s.Len()))
}

// dated is window with day and zone, for texts that may be quoted alone.
func dated(s picture.Span) string {
	const day, clock, zone = time.DateOnly, time.TimeOnly, " UTC"
	from, to := s.From.Std(), s.To.Std()
	switch {
	case s.From == 0 && s.To == 0:
		return ""
	case s.From == s.To || s.From == 0:
		return to.Format(day+" "+clock) + zone
	case s.To == 0:
		return from.Format(day+" "+clock) + zone
	case from.Format(day) == to.Format(day):
		return from.Format(day+" "+clock) + " to " + to.Format(clock) + zone + ", " + duration(s.Len())
	}
	return from.Format(day+" "+clock) + " to " + to.Format(day+" "+clock) + zone + ", " + duration(s.Len())
}
