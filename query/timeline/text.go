package timeline

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// clock is how a time of day is written.
const clock = "15:04:05.000"

// Text writes the timeline for a person, in UTC and, if that differs, in local time
// as well. Notes are not part of it.
func (t *Timeline) Text(w io.Writer, local *time.Location, look report.Look) error {
	out := bufio.NewWriter(w)
	if len(t.Entries) > 0 {
		t.head(out, local, look)
	}
	day := ""
	for _, l := range t.Entries {
		at := l.Time.Std()
		if today := at.Format(time.DateOnly); today != day {
			if day != "" {
				fmt.Fprintln(out, today)
			}
			day = today
		}
		when := fmt.Sprintf("%s  %s%9s", at.Format(clock), localClock(at, local), offset(l.Offset))
		column := len(when) + len(" * ")
		outcome := func(text string) string { return look.Outcome(l.Code, l.Stage == audit.StagePanic.String(), text) }
		fmt.Fprintf(out, "%s %s %s\n", look.Dim(when), outcome(mark(l)), look.Fold(l.words(t.End), column, outcome))
		if len(l.Changes) > 0 {
			changes := report.Clean(strings.Join(l.Changes, "; "))
			fmt.Fprintf(out, "%s%s\n", strings.Repeat(" ", column), look.Fold(changes, column, look.Dim))
		}
	}
	return out.Flush()
}

// head writes what the timeline is about and what its columns are.
func (t *Timeline) head(out *bufio.Writer, local *time.Location, look report.Look) {
	if t.Finding {
		t.finding(out, look)
	}
	first := t.Entries[0].Time.Std()
	zone := "UTC"
	if name, seconds := first.In(local).Zone(); seconds != 0 {
		zone += fmt.Sprintf(" and %s (%s)", name, first.In(local).Format("-07:00"))
	}
	fmt.Fprintln(out, folded(look, fmt.Sprintf("%s, %s; offsets from %s, %s", first.Format(time.DateOnly), zone, report.Clean(t.ZeroIs), t.Zero.Std().Format("2006-01-02T15:04:05.000Z"))))
}

// finding writes which finding the timeline is about, and what its marks mean.
func (t *Timeline) finding(out *bufio.Writer, look report.Look) {
	const most = 3
	fmt.Fprintln(out, folded(look, report.Clean(t.About)))
	marks := "* proves it"
	if t.Incident != "" {
		fmt.Fprintln(out, folded(look, "of the incident "+report.Clean(t.Incident)))
	}
	if len(t.Related) > 0 {
		with := strings.Join(t.Related[:min(most, len(t.Related))], ", ")
		if more := len(t.Related) - most; more > 0 {
			with += fmt.Sprintf(" and %d more", more)
		}
		marks += ", + " + report.Clean(with)
	}
	fmt.Fprintln(out, folded(look, marks+", ! failed")+"\n")
}

// folded folds a line of the head.
func folded(look report.Look, text string) string {
	return look.Fold(text, 0, func(line string) string { return line })
}

// localClock returns the column of the local time of day, or "" if that is UTC.
func localClock(at time.Time, local *time.Location) string {
	if _, seconds := at.In(local).Zone(); seconds == 0 {
		return ""
	}
	return at.In(local).Format(clock) + "  "
}

// offset writes seconds with a sign.
func offset(seconds float64) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= time.Hour:
		return sign + strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	case d >= time.Minute:
		return sign + d.Round(time.Second).String()
	}
	return fmt.Sprintf("%s%.3fs", sign, d.Seconds())
}

// mark returns the mark of a line: evidence of the finding, evidence of another
// finding of its incident, or a failure.
func mark(l *Line) string {
	switch {
	case l.Evidence || l.Mark:
		return "*"
	case l.Of != "":
		return "+"
	case l.Code >= 400 || l.Stage == "Panic":
		return "!"
	}
	return " "
}

func (l *Line) words(end audit.Time) string {
	text := l.Text
	running := ""
	if l.Stopped > 0 {
		running = l.howMany(l.Stopped) + "ended when its API server stopped, " + l.between()
	}
	if l.Running > 0 && (l.Verb != "watch" || mark(l) != " ") { // a watch that goes on is no news
		running += l.howMany(l.Running) + "not ended by " + end.Std().Format(clock)
	}
	if l.Times == 1 {
		text += running
	}
	if l.Times > 1 && l.Silent == 0 {
		text += fmt.Sprintf("  [%d times until %s%s%s]", l.Times, l.Until.Std().Format(clock), query.AtMost(l.Longest), running)
	}
	return report.Clean(text)
}

// howMany begins to tell of n of the requests of a line.
func (l *Line) howMany(n int) string {
	if l.Times == 1 {
		return ", "
	}
	return fmt.Sprintf(", %d ", n)
}

// between says when the API servers of a line stopped.
func (l *Line) between() string {
	to := l.StoppedTo.Std().Format(clock)
	if l.StoppedFrom == l.StoppedTo {
		return "by " + to
	}
	return "between " + l.StoppedFrom.Std().Format(clock) + " and " + to
}
