package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// How many columns of a lane's name are drawn: of its label, which has one line, and of
// what it is about, which has two with the number of marks behind it.
const (
	labelRoom = 35
	aboutRoom = 56
)

// A title is how a lane is named: its label, and below it what it is about and what tells
// it apart from others of that name.
type title struct{ label, about, apart string }

// drawn is what can be seen of a title: of long names the beginning and the end.
func (t title) drawn() title {
	apart := elide(t.apart, aboutRoom/2)
	return title{elide(t.label, labelRoom), elide(t.about, aboutRoom-columns(apart)), apart}
}

// below returns the second part of what is drawn: "pods by kubectl".
func (t title) below() string { return strings.TrimLeft(t.about+t.apart, ", ") }

// titlesOf names lanes so that no two look alike. What distinguishes those of one name is
// the client's program, or its address, or else the finding.
func titlesOf(lanes []picture.Lane) []title {
	all := make([]title, len(lanes))
	for i := range lanes {
		all[i].label, all[i].about = laneName(&lanes[i])
	}
	tell := func(before string, by func(*picture.Lane) string) {
		alike := map[title][]int{}
		for i, t := range all {
			alike[t.drawn()] = append(alike[t.drawn()], i)
		}
		for _, group := range alike {
			texts := map[string]bool{}
			for _, i := range group {
				texts[by(&lanes[i])] = true
			}
			for _, i := range group {
				if text := by(&lanes[i]); len(texts) > 1 && text != "" {
					all[i].apart = before + text
				}
			}
		}
	}
	tell(" by ", func(l *picture.Lane) string { return product(&l.Subject) })
	tell(" by ", func(l *picture.Lane) string { return Clean(l.Subject.SourceIP) })
	tell(", ", func(l *picture.Lane) string { return Clean(l.Finding) })
	return all
}

// elide cuts the middle out of a clean text that is wider than a number of columns:
// names begin and end unlike each other, most often the latter.
func elide(s string, most int) string {
	if columns(s) <= most {
		return s
	}
	head, tail := 0, len(s)
	for used := 0; head < len(s); {
		_, size := utf8.DecodeRuneInString(s[head:])
		if used += columns(s[head : head+size]); used > most/3 {
			break
		}
		head += size
	}
	for used := columns(s[:head]) + 1; tail > head; {
		_, size := utf8.DecodeLastRuneInString(s[:tail])
		if used += columns(s[tail-size : tail]); used > most {
			break
		}
		tail -= size
	}
	return s[:head] + "…" + s[tail:]
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
	return "heard " + analysis.And(b.each(bars))
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
		return Clean(l.Label), laneObject(&analysis.Subject{Resource: s.Resource})
	case s.Node != "":
		return Clean(s.Node), "node"
	case s.User == "" && object(s) == analysis.AnyResource:
		analyzer, _, _ := strings.Cut(l.Finding, "/")
		return Clean(cmp.Or(l.Cause, analyzer)), Clean(analyzer)
	case l.Lasting && object(s) != "":
		return object(s), ""
	case s.User != "":
		// All service accounts begin alike, which would push out of sight what
		// distinguishes them.
		return Clean(strings.TrimPrefix(s.User, "system:serviceaccount:")), laneObject(s)
	case object(s) != "":
		return object(s), ""
	case s.SourceIP != "":
		return Clean(s.SourceIP), ""
	}
	return Clean(l.Finding), ""
}

// laneObject is object, with words for several resources.
func laneObject(s *analysis.Subject) string {
	if object(s) == analysis.AnyResource {
		return "several resources"
	}
	return object(s)
}
