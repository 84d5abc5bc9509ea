package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// toldApart returns, for each lane, what distinguishes it from others of the same
// name: the client's program or its address. It is empty if there are none.
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

// product returns the first word of a client's user agent.
func product(s *analysis.Subject) string {
	word, _, _ := strings.Cut(s.UserAgent, " ")
	return Clean(word)
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

// around says when bars are: from the beginning of the first to the last end.
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

// well says when all was well, if there are bars of that.
func (b *builder) well(bars []picture.Bar) string {
	if len(bars) == 0 {
		return ""
	}
	return "heard " + and(b.each(bars))
}

// each says when the first few bars are.
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

// exact says when a bar is, to the millisecond.
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
		// All service accounts begin alike, which would push out of sight what
		// distinguishes them.
		return Clean(strings.TrimPrefix(s.User, "system:serviceaccount:")), object(s)
	case object(s) != "":
		return object(s), ""
	case s.SourceIP != "":
		return Clean(s.SourceIP), ""
	}
	return Clean(l.Finding), ""
}
