package who

import (
	"bufio"
	"fmt"
	"io"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// layout is RFC 3339 with milliseconds.
const layout = "2006-01-02T15:04:05.000Z"

// Text writes the answer for a person, with at most this many deeds. Its notes are
// not part of the text.
func (a *Answer) Text(w io.Writer, most int, look report.Look) error {
	out := bufio.NewWriter(w)
	for i, t := range a.Answers {
		if i == most {
			break
		}
		t.text(&page{out, look})
	}
	return out.Flush()
}

// A page is what an answer is written to.
type page struct {
	out  *bufio.Writer
	look report.Look
}

func (t *Told) text(p *page) {
	p.sentence(t.Deed, 0)
	if t.Change != "" {
		p.line("change", t.Change)
	}
	if t.How != "" {
		p.line("how", fmt.Sprintf("%s (%s)", t.How, t.Confidence))
	}
	if t.Times > 1 {
		p.line("often", fmt.Sprintf("%d times since %s%s", t.Times, t.First.Std().Format(layout), query.AtMost(t.Longest)))
	}
	for _, l := range t.Because {
		p.label("because")
		p.sentence(l.Deed, labelWidth)
		p.line("", fmt.Sprintf("%s; known %s: %s", l.Why, l.How, l.Confidence))
	}
	if t.Then != nil {
		p.label("then")
		p.sentence(t.Then, labelWidth)
	}
	if len(t.Because) > 0 {
		p.line("root", report.Clean(t.Root))
	}
	p.line("proof", t.proof())
}

// labelWidth is how wide the column of labels is.
const labelWidth = 12

func (p *page) label(label string) {
	fmt.Fprintf(p.out, "%s", p.look.Dim(fmt.Sprintf("  %-*s", labelWidth-2, label)))
}

func (p *page) line(label, text string) {
	p.label(label)
	fmt.Fprintln(p.out, p.look.Fold(text, labelWidth, asItIs))
}

func asItIs(text string) string { return text }

// sentence tells a deed in one line, from a column on.
func (p *page) sentence(d *Deed, column int) {
	const gap = "  "
	at := d.Time.Std().Format(layout)
	outcome := func(text string) string { return p.look.Outcome(d.Code, d.Stage == audit.StagePanic.String(), text) }
	fmt.Fprintln(p.out, p.look.Dim(at)+gap+p.look.Fold(report.Clean(d.Sentence()), column+len(at+gap), outcome))
}

// proof names the lines, the nearest first.
func (t *Told) proof() string {
	text := fmt.Sprintf("%s:%d", t.Deed.Source, t.Deed.Line)
	for _, l := range t.Because {
		text += fmt.Sprintf(", %s:%d", l.Deed.Source, l.Deed.Line)
	}
	return report.Clean(text)
}
