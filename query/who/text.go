package who

import (
	"bufio"
	"fmt"
	"io"

	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// layout is RFC 3339 with milliseconds.
const layout = "2006-01-02T15:04:05.000Z"

// Text writes the answer for a person, at most this many deeds. Its notes are
// not part of it.
func (a *Answer) Text(w io.Writer, most int) error {
	out := bufio.NewWriter(w)
	for i, t := range a.Answers {
		if i == most {
			break
		}
		t.text(out)
	}
	return out.Flush()
}

func (t *Told) text(out *bufio.Writer) {
	fmt.Fprintln(out, sentence(t.Deed))
	if t.Change != "" {
		fmt.Fprintf(out, "  %-9s %s\n", "change", t.Change)
	}
	if t.How != "" {
		fmt.Fprintf(out, "  %-9s %s (%s)\n", "how", t.How, t.Confidence)
	}
	if t.Times > 1 {
		fmt.Fprintf(out, "  %-9s %d times since %s%s\n", "often", t.Times, t.First.Std().Format(layout), query.AtMost(t.Longest))
	}
	for _, l := range t.Because {
		fmt.Fprintf(out, "  %-9s %s\n", "because", sentence(l.Deed))
		fmt.Fprintf(out, "  %-9s %s; known %s: %s\n", "", l.Why, l.How, l.Confidence)
	}
	if t.Then != nil {
		fmt.Fprintf(out, "  %-9s %s\n", "then", sentence(t.Then))
	}
	if len(t.Because) > 0 {
		fmt.Fprintf(out, "  %-9s %s\n", "root", report.Clean(t.Root))
	}
	fmt.Fprintf(out, "  %-9s %s\n", "proof", t.proof())
}

// sentence tells a deed in one line.
func sentence(d *Deed) string {
	return report.Clean(d.Time.Std().Format(layout) + "  " + d.Sentence())
}

// proof names the lines, the nearest first.
func (t *Told) proof() string {
	text := fmt.Sprintf("%s:%d", t.Deed.Source, t.Deed.Line)
	for _, l := range t.Because {
		text += fmt.Sprintf(", %s:%d", l.Deed.Source, l.Deed.Line)
	}
	return report.Clean(text)
}
