package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// broadWidth is the width in columns from which on each fact of a finding has a
// column of its own. In less, several facts share a cell, one below the other.
const broadWidth = 120

// findings writes the table of findings, or that there are none.
func (p *page) findings(r *Report, findings []analysis.Finding, o Options) error {
	p.heading("Findings")
	if len(findings) == 0 {
		p.para(2, r.nothing(o))
		return nil
	}
	clock := r.clock()
	switch {
	case o.Wide:
		return p.wide("FINDING", findings, clock, p.course(r))
	case p.width < broadWidth:
		return p.narrow(findings, clock, p.course(r))
	}
	return p.broad(findings, clock, p.course(r))
}

func (p *page) narrow(findings []analysis.Finding, clock clock, course course) error {
	columns := []column{
		{title: "SEVERITY", width: len("confirmed")},
		{title: "FINDING"},
		{title: "COUNT", width: countWidth(findings), right: true},
		{title: "UTC", width: clock.width()},
	}
	room := rest(columns, p.width)
	var rows [][]string
	for i := range findings {
		f := &findings[i]
		rows = spaced(rows, []string{
			p.verdict(f),
			wrapAll(room, Clean(f.Analyzer), Clean(f.Title)) + below(whereIn(f, room)),
			strconv.Itoa(f.Count),
			course.below(clock.window(f), f, clock.width()),
		})
	}
	return p.grid(columns, rows)
}

func (p *page) broad(findings []analysis.Finding, clock clock, course course) error {
	columns := []column{
		{title: "SEVERITY", width: len("SEVERITY")},
		{title: "CONFIDENCE", width: len("CONFIDENCE")},
		{title: "ANALYZER", width: widest(findings, 8, 20, func(f *analysis.Finding) string { return Clean(f.Analyzer) })},
		{title: "FINDING"},
		{title: "COUNT", width: countWidth(findings), right: true},
		{title: "FIRST (UTC)", width: max(clock.width(), len("FIRST (UTC)"))},
		{title: "LAST", width: clock.width()},
		{title: "WHERE", width: widest(findings, 5, p.width/5, where)},
	}
	room := rest(columns, p.width)
	var rows [][]string
	for i := range findings {
		f := &findings[i]
		rows = append(rows, []string{
			p.paint.severity(f.Severity, Clean(string(f.Severity))),
			Clean(string(f.Confidence)),
			wrapAll(columns[2].width, Clean(f.Analyzer)),
			wrapAll(room, Clean(f.Title)),
			strconv.Itoa(f.Count),
			course.below(clock.at(f.First), f, clock.width()), clock.at(f.Last),
			whereIn(f, columns[7].width),
		})
	}
	return p.grid(columns, rows)
}

// verdict is a finding's severity with its confidence below.
func (p *page) verdict(f *analysis.Finding) string {
	return p.paint.severity(f.Severity, Clean(string(f.Severity))) + "\n" + Clean(string(f.Confidence))
}

// spaced adds a row, and an empty one before it: cells of several lines would
// run together.
func spaced(rows [][]string, row []string) [][]string {
	if len(rows) > 0 {
		rows = append(rows, make([]string, len(row)))
	}
	return append(rows, row)
}

// where returns the place of the first line that proves f.
func where(f *analysis.Finding) string {
	if len(f.Evidence) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", Clean(f.Evidence[0].Source), f.Evidence[0].Line)
}

// whereIn is where, cut to one line of so many columns, since a place that is broken
// over lines can't be opened. A long path loses its first folders; -o wide shows it
// whole.
func whereIn(f *analysis.Finding, width int) string {
	place := where(f)
	if columns(place) <= width {
		return place
	}
	tail := place
	for tail != "" && columns(tail) >= width {
		_, size := utf8.DecodeRuneInString(tail)
		tail = tail[size:]
	}
	if folder := strings.IndexAny(tail, "/!"); folder >= 0 {
		tail = tail[folder:]
	}
	return "…" + tail
}

// below puts text below others, unless it is empty.
func below(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}

// widest returns how wide the widest text is, from least to most.
func widest(findings []analysis.Finding, least, most int, text func(*analysis.Finding) string) int {
	width := least
	for i := range findings {
		width = max(width, columns(text(&findings[i])))
	}
	return min(width, max(most, least))
}

func countWidth(findings []analysis.Finding) int {
	return widest(findings, len("COUNT"), 20, func(f *analysis.Finding) string { return strconv.Itoa(f.Count) })
}

// blind returns how many analyzers could see nothing or, if inPart is set, only a
// part of what they look for.
func (r *Report) blind(inPart bool) int {
	names := map[string]bool{}
	for _, b := range r.Blind {
		if b.InPart == inPart {
			names[b.Analyzer] = true
		}
	}
	return len(names)
}

// nothing says that no finding is shown, and how much that is worth.
func (r *Report) nothing(o Options) string {
	if !r.Input.told() {
		return "No audit event was read, so nothing can be said of the cluster."
	}
	nothing := "Nothing"
	if _, sessions := split(r.Shown(o)); len(sessions) > 0 {
		nothing = "But for the long sessions below, nothing"
	}
	events := toldText(&r.Input)
	if n := r.Input.Selected; n != nil {
		events = "the " + analysis.Counted(*n, "selected event")
		if *n == 0 {
			return "No event is selected, so nothing was looked at: this is no all-clear."
		}
	}
	what := fmt.Sprintf("%s of severity %s and confidence %s or above was found in %s",
		nothing, o.minSeverity(), o.minConfidence(), events)
	if doubts := r.doubts(); len(doubts) > 0 {
		return what + "; this is no all-clear, since " + analysis.And(doubts) + "."
	}
	return what + "."
}

// doubts returns the reasons why a log without findings is no all-clear.
func (r *Report) doubts() []string {
	var doubts []string
	if n := r.blind(false); n > 0 {
		doubts = append(doubts, analysis.Counted(n, "analyzer")+" could see nothing in it")
	}
	if n := r.blind(true); n > 0 {
		doubts = append(doubts, analysis.Counted(n, "analyzer")+" could see only a part")
	}
	holes := int64(0)
	for _, n := range r.Notes {
		if n.Kind == "hole" {
			holes++
		}
	}
	if holes > 0 {
		doubts = append(doubts, "it has "+analysis.Counted(holes, "hole"))
	}
	if len(r.Input.Errors) > 0 {
		doubts = append(doubts, "not all of it could be read")
	}
	if r.Partial {
		doubts = append(doubts, "the scan was interrupted")
	}
	if len(r.Overflow) > 0 {
		doubts = append(doubts, "it has more clients, objects or findings than are kept")
	}
	return doubts
}

// A clock writes times in UTC, with the day only if a log has several.
type clock struct{ layout string }

func (r *Report) clock() clock {
	days := map[string]bool{}
	see := func(times ...audit.Time) {
		for _, t := range times {
			if t != 0 {
				days[t.Std().Format(time.DateOnly)] = true
			}
		}
	}
	see(r.Input.First, r.Input.Last)
	for i := range r.Findings { // a watch, for one, may have begun before the first event
		see(r.Findings[i].First, r.Findings[i].Last)
	}
	if len(days) > 1 {
		return clock{"01-02 " + time.TimeOnly}
	}
	return clock{time.TimeOnly}
}

func (c clock) width() int { return len(c.layout) }

func (c clock) at(t audit.Time) string {
	if t == 0 {
		return "-"
	}
	return t.Std().Format(c.layout)
}

// window is when a finding was first and last seen, one below the other.
func (c clock) window(f *analysis.Finding) string {
	first, last := c.at(f.First), c.at(f.Last)
	if first == last {
		return first
	}
	return strings.Join([]string{first, last}, "\n")
}
