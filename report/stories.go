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
	n := 0
	for i := range r.Incidents {
		in := &r.Incidents[i]
		if in.Severity.Rank() < o.minSeverity().Rank() || in.Confidence.Rank() < o.minConfidence().Rank() {
			continue
		}
		if n++; n == 1 {
			p.heading("Incidents")
		} else {
			p.WriteByte('\n')
		}
		p.story(n, in, clock)
	}
}

// readable is how wide a paragraph is at most: longer lines are hard to follow.
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
	p.item(indent, room, "cause", words(in.Cause)...)
	timeline := make([]string, len(in.Timeline))
	for i, e := range in.Timeline {
		timeline[i] = clock.at(e.Time) + "  " + Clean(e.Text)
	}
	p.item(indent, room, "timeline", timeline...)
	p.item(indent, room, "do", words(in.Remedy)...)
	p.item(indent, room, "don't", words(in.Avoid)...)
	p.item(indent, room, "proof", words(in.Proof)...)
	p.item(indent, room, "findings", words(strings.Join(in.Findings, ", "))...)
}

// words cleans a text of several sentences, which may be longer than any text
// of a log: each sentence is cleaned by itself. An empty text gives nothing.
func words(text string) []string {
	if text == "" {
		return nil
	}
	sentences := strings.SplitAfter(text, ". ")
	for i := range sentences {
		sentences[i] = Clean(sentences[i])
	}
	return []string{strings.Join(sentences, "")}
}
