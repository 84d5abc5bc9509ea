package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// mostLines is how many files, notes and refusals of one kind the summary
// names. JSON has all.
const mostLines = 5

// summaryRoom is how wide the labels of the summary are.
const summaryRoom = 12

// summary says what was read and, above all, what was not: a finding that is
// not there means nothing where the log could not show it.
func (p *page) summary(r *Report, o Options) {
	in := &r.Input
	p.say("Read", readText(in))
	if in.First != 0 {
		p.say("Span", fmt.Sprintf("%s to %s, %s", second(in.First), second(in.Last), duration(in.Last.Sub(in.First))))
	}
	if in.Events > 0 {
		p.say("Stages", stagesText(in.Stages))
		p.say("Levels", levelsText(in.Levels))
	}
	if in.Selected != nil {
		p.say("Selected", selectedText(in))
	}
	if in.Duplicates == nil {
		p.say("Duplicates", "not looked for (--dedupe)")
	} else {
		p.say("Duplicates", fmt.Sprintf("%d left out", *in.Duplicates))
	}
	if o.Wide && in.OutOfOrder > 0 {
		p.say("Disorder", plural(in.OutOfOrder, "event")+" below the time of the line before, which is usual under load")
	}
	for _, limit := range r.limits() {
		p.warn(limit.Label, limit.Texts...)
	}
}

// A fact is a label with texts, which are clean.
type fact struct {
	Label string
	Texts []string
}

// limits says what the logs can't tell, or what must be known to read them.
func (r *Report) limits() []fact {
	in := &r.Input
	all := []fact{
		{"Refused", refusedTexts(in)},
		{"Passed over", passedTexts(in.Passed)},
		{"Error", cleanAll(in.Errors)},
	}
	all = append(all, noteTexts(r.Notes)...)
	all = append(all, fact{"Blind", blindTexts(r.Blind, false)}, fact{"Part blind", blindTexts(r.Blind, true)}, fact{"Left out", overflowTexts(r.Overflow)})
	if r.Partial {
		all = append(all, fact{"Partial", []string{"the scan was interrupted: this is what was read until then"}})
	}
	return all
}

func selectedText(in *Input) string {
	return fmt.Sprintf("%d of %s, by the filters", *in.Selected, plural(in.Events, "event"))
}

// say writes a line of the summary, warn several that limit what the report
// can claim. Texts must be clean.
func (p *page) say(label, text string) { p.item(0, summaryRoom, label, text) }

func (p *page) warn(label string, texts ...string) {
	more := len(texts) - mostLines
	if more > 1 {
		texts = append(texts[:mostLines:mostLines], fmt.Sprintf("and %d more", more))
	}
	p.labelled(p.paint.warning(label), columns(label), 0, summaryRoom, texts)
}

func readText(in *Input) string {
	logs := map[string]bool{}
	for _, s := range in.Sources {
		logs[s.Log] = true
	}
	what := "nothing"
	switch files := int64(len(in.Sources)); {
	case files == 1:
		what = Clean(in.Sources[0].Name)
	case files > 1:
		what = plural(int64(len(logs)), "log") + " in " + plural(files, "file")
	}
	return fmt.Sprintf("%s: %s in %s, %s", what, toldText(in), plural(in.Lines, "line"), size(in.Bytes))
}

// toldText counts events, and what own logs of API servers tell of that these
// don't.
func toldText(in *Input) string {
	text := plural(in.Events, "event")
	requests := in.Counted
	if in.Events == 0 {
		requests = in.Requests // of a report of an older version, too
	}
	if requests > 0 {
		text += fmt.Sprintf(" and %s of httplog", plural(requests, "request"))
	}
	if in.OwnLines > 0 {
		text += fmt.Sprintf(" and %s of klog with a fault", plural(in.OwnLines, "line"))
	}
	return text
}

func stagesText(counts map[string]int64) string {
	var parts, missing []string
	for s := audit.StageRequestReceived; s <= audit.StagePanic; s++ {
		switch n := counts[s.String()]; {
		case n > 0:
			parts = append(parts, fmt.Sprintf("%s %d", s, n))
		case s != audit.StagePanic:
			missing = append(missing, "no "+s.String())
		}
	}
	return strings.Join(slices.Concat(parts, missing), ", ")
}

func levelsText(counts map[string]int64) string {
	var parts []string
	for l := audit.LevelNone; l <= audit.LevelRequestResponse; l++ {
		if n := counts[l.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", l, n))
		}
	}
	if len(parts) == 0 {
		return "none is told"
	}
	return strings.Join(parts, ", ")
}

// kinds says what the kinds of refusal mean.
var kinds = map[string]string{
	"malformed": "meant as an audit event, but it can't be read",
	"truncated": "it ends inside a JSON object",
	"foreign":   "something else",
	"klog":      "the own log of an API server or kubelet, where it says nothing of use here",
	"oversize":  "longer than --max-line",
}

// refusedTexts says of each kind how many lines, why, and where the first
// stands.
func refusedTexts(in *Input) []string {
	var texts []string
	for _, kind := range slices.Sorted(maps.Keys(in.Skipped)) {
		n := in.Skipped[kind]
		if n == 0 {
			continue
		}
		text, why := plural(n, "line")+" "+Clean(kind), kinds[kind]
		if i := slices.IndexFunc(in.Refused, func(r Refused) bool { return r.Kind == kind }); i >= 0 {
			first := &in.Refused[i]
			text += fmt.Sprintf(", the first at %s:%d", Clean(first.Source), first.Line)
			why = cmp.Or(Clean(first.Why), why)
		}
		if why != "" {
			text += ": " + why
		}
		texts = append(texts, text)
	}
	return texts
}

func passedTexts(passed []Passed) []string {
	texts := make([]string, len(passed))
	for i, f := range passed {
		texts[i] = Clean(f.Name) + ": " + Clean(f.Why)
	}
	return texts
}

func cleanAll(texts []string) []string {
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = Clean(text)
	}
	return clean
}

// noteTexts puts notes of a kind together: "Hole", "Restart".
func noteTexts(notes []analysis.Note) []fact {
	texts := map[string][]string{}
	for _, n := range notes {
		text := prose(n.Text)
		switch {
		case n.From != 0 && n.To > n.From && second(n.From) != second(n.To):
			text = fmt.Sprintf("%s to %s: %s", second(n.From), second(n.To), text)
		case n.From != 0:
			text = fmt.Sprintf("%s: %s", second(n.From), text)
		}
		texts[n.Kind] = append(texts[n.Kind], text)
	}
	var all []fact
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, fact{label(kind), texts[kind]})
	}
	return all
}

// label makes a label of a kind of note, if it is short enough for one.
func label(kind string) string {
	kind = Clean(strings.ReplaceAll(kind, "-", " "))
	if kind == "" || columns(kind) >= summaryRoom {
		return "Note"
	}
	first, size := utf8.DecodeRuneInString(kind)
	return string(unicode.ToUpper(first)) + kind[size:]
}

// blindTexts puts analyzers that are blind for one reason together: those that see
// nothing, or those that are blind in part.
func blindTexts(blind []analysis.Blind, inPart bool) []string {
	var reasons []string
	names := map[string][]string{}
	for _, b := range blind {
		if b.InPart != inPart {
			continue
		}
		if names[b.Why] == nil {
			reasons = append(reasons, b.Why)
		}
		names[b.Why] = append(names[b.Why], Clean(b.Analyzer))
	}
	texts := make([]string, len(reasons))
	for i, why := range reasons {
		texts[i] = strings.Join(names[why], ", ") + ": " + prose(why)
	}
	return texts
}

func overflowTexts(overflow map[string]int) []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(overflow)) {
		texts = append(texts, fmt.Sprintf("%s: about %d clients, objects or findings, since there are more than are kept", Clean(name), overflow[name]))
	}
	return texts
}

// second returns t in RFC 3339, to the second.
func second(t audit.Time) string { return t.Std().Format(time.RFC3339) }

// duration returns d to three digits or so, as people say it.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch a := d.Abs(); {
	case a >= 2*365*day:
		return fmt.Sprintf("%.1f years", d.Hours()/24/365.25)
	case a >= 60*day:
		return fmt.Sprintf("%d days", d.Round(day)/day)
	case a >= 2*day:
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd%dh", d/day, (d%day).Abs()/time.Hour)
	case a < time.Millisecond:
		return d.String()
	case a < time.Second:
		return d.Round(time.Millisecond).String()
	case a < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// size returns n bytes in the unit that gives one to three digits.
func size(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return plural(n, "byte")
	}
	f := float64(n)
	for _, unit := range units {
		if f /= 1000; f < 1000 || unit == "TB" {
			return fmt.Sprintf("%.3g %s", f, unit)
		}
	}
	return ""
}
