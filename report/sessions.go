package report

import (
	"math"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// sessions writes the section of long sessions, if there are any.
func (p *page) sessions(r *Report, sessions []analysis.Finding, o Options) error {
	if len(sessions) == 0 {
		return nil
	}
	p.heading("Long sessions")
	clock := r.clock()
	switch {
	case o.Wide:
		return p.wide("SESSIONS", sessions, clock, p.course(r))
	case p.width < broadWidth:
		return p.narrowSessions(sessions, clock, p.course(r))
	}
	return p.broadSessions(sessions, clock, p.course(r))
}

func (p *page) narrowSessions(sessions []analysis.Finding, clock clock, course course) error {
	columns := []column{
		{title: "SEVERITY", width: len("confirmed")},
		{title: "SESSIONS"},
		{title: "LASTED", width: len("open 1h40m40s")},
		{title: "UTC", width: clock.width()},
	}
	room := rest(columns, p.width)
	var rows [][]string
	for i := range sessions {
		f := &sessions[i]
		rows = spaced(rows, []string{
			p.verdict(f),
			wrapAll(room, Clean(f.Title)) + below(whereIn(f, room)),
			wrapAll(columns[2].width, lasted(f)...),
			course.below(clock.window(f), f, clock.width()),
		})
	}
	return p.grid(columns, rows)
}

func (p *page) broadSessions(sessions []analysis.Finding, clock clock, course course) error {
	const lasted = len("1000h40m40s")
	columns := []column{
		{title: "SEVERITY", width: len("SEVERITY")},
		{title: "CONFIDENCE", width: len("CONFIDENCE")},
		{title: "SESSIONS"},
		{title: "P50", width: lasted, right: true},
		{title: "P95", width: lasted, right: true},
		{title: "MAX", width: lasted, right: true},
		{title: "NOT ENDED", width: len("NOT ENDED"), right: true},
		{title: "FIRST (UTC)", width: max(clock.width(), len("FIRST (UTC)"))},
		{title: "LAST", width: clock.width()},
		{title: "WHERE", width: widest(sessions, 5, p.width/6, where)},
	}
	room := rest(columns, p.width)
	var rows [][]string
	for i := range sessions {
		f := &sessions[i]
		rows = append(rows, []string{
			p.paint.severity(f.Severity, Clean(string(f.Severity))),
			Clean(string(f.Confidence)),
			wrapAll(room, Clean(f.Title)),
			seconds(f, "p50Seconds"), seconds(f, "p95Seconds"), seconds(f, "maxSeconds"),
			wrapAll(columns[6].width, notEnded(f)...),
			course.below(clock.at(f.First), f, clock.width()), clock.at(f.Last),
			whereIn(f, columns[9].width),
		})
	}
	return p.grid(columns, rows)
}

// lasted says how long the sessions that ended had lived, and for how long one that
// did not end was seen open.
func lasted(f *analysis.Finding) []string {
	lines := []string{"p50 " + seconds(f, "p50Seconds"), "p95 " + seconds(f, "p95Seconds"), "max " + seconds(f, "maxSeconds")}
	if open := seconds(f, longestOpen); open != "-" {
		lines = append(lines, "open "+open)
	}
	return lines
}

// notEnded says how many sessions had no end, and for how long one was seen open.
func notEnded(f *analysis.Finding) []string {
	lines := []string{strconv.Itoa(f.Details.Int("unfinished") + f.Details.Int("openAtEnd"))}
	if open := seconds(f, longestOpen); open != "-" {
		lines = append(lines, open)
	}
	return lines
}

// longestOpen is a detail: how long, in seconds, a session without an end was
// seen open.
const longestOpen = "longestOpenSeconds"

// seconds returns a detail in seconds as a duration, "-" if it is not there.
func seconds(f *analysis.Finding, name string) string {
	s := f.Details.Float(name)
	if _, ok := f.Details[name]; !ok || math.IsNaN(s) {
		return "-"
	}
	const most = 1000 * 3600 // keeps a made-up report inside its column
	return duration(time.Duration(min(max(s, 0), most) * float64(time.Second)))
}
