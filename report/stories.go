package report

import (
	"fmt"
	"strings"

	"github.com/kaudit/kaudit/analysis/incident"
)

// stories writes the incidents in plain words. Those below the minima are left
// out, as their findings are.
func (p *page) stories(r *Report, o Options) {
	clock := r.clock()
	for i, in := range r.shownIncidents(o) {
		if i == 0 {
			p.heading("Incidents")
		} else {
			p.WriteByte('\n')
		}
		p.story(i+1, in, clock)
	}
}

// readable is how many columns a paragraph has at most: longer lines are hard to read.
const readable = 110

func (p *page) story(n int, in *incident.Incident, clock clock) {
	const indent, room = 5, 10
	defer func(width int) { p.width = width }(p.width)
	p.width = min(p.width, readable)
	for i, line := range wrap(Clean(in.Title), p.width-indent) {
		if i == 0 {
			fmt.Fprintf(p, "%3d. %s\n", n, p.paint.severity(in.Severity, line))
		} else {
			p.WriteString(strings.Repeat(" ", indent) + p.paint.severity(in.Severity, line) + "\n")
		}
	}
	p.item(indent, room, "how sure", fmt.Sprintf("%s, %s", Clean(string(in.Confidence)), Clean(string(in.Severity))))
	p.item(indent, room, "cause", prose(in.Cause))
	timeline := make([]string, len(in.Timeline))
	for i, e := range in.Timeline {
		timeline[i] = clock.at(e.Time) + " " + Clean(e.Text)
	}
	p.item(indent, room, "timeline", timeline...)
	p.item(indent, room, "do", prose(in.Remedy))
	p.item(indent, room, "don't", prose(in.Avoid))
	p.item(indent, room, "proof", prose(in.Proof))
	p.item(indent, room, "findings", prose(strings.Join(in.Findings, ", ")))
}
