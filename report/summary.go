package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// mostLines is how many files, notes and refusals of one kind the summary
// names. JSON has all.
const mostLines = 5

// summaryRoom is the width of the labels of the summary, in columns.
const summaryRoom = 12

// summary writes what was read and, above all, what was not: that there is no finding
// means nothing if the log could not show it.
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
		p.say("Disorder", analysis.Counted(in.OutOfOrder, "event")+" earlier than the line before, which is usual under load")
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

// limits returns what the logs can't tell, and what must be known to interpret them.
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
	return fmt.Sprintf("%d of %s, by the filters", *in.Selected, analysis.Counted(in.Events, "event"))
}

// say writes a line of the summary. The text must be clean.
func (p *page) say(label, text string) { p.item(0, summaryRoom, label, text) }

// warn writes lines of the summary that limit what the report can claim. The texts
// must be clean.
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
		what = analysis.Counted(len(logs), "log") + " in " + analysis.Counted(files, "file")
	}
	return fmt.Sprintf("%s: %s in %s, %s", what, toldText(in), analysis.Counted(in.Lines, "line"), size(in.Bytes))
}

// toldText says how many events there are, and how much API servers' own logs tell
// beside them.
func toldText(in *Input) string {
	text := analysis.Counted(in.Events, "event")
	requests := in.Counted
	if in.Events == 0 {
		requests = in.Requests // reports of older versions have no Counted
	}
	if requests > 0 {
		text += fmt.Sprintf(" and %s of httplog", analysis.Counted(requests, "request"))
	}
	if in.OwnLines > 0 {
		text += fmt.Sprintf(" and %s of klog with a fault", analysis.Counted(in.OwnLines, "line"))
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

// refusedTexts says of each kind of refusal how many lines there are, why they were
// refused, and where the first one stands.
func refusedTexts(in *Input) []string {
	var texts []string
	for _, kind := range slices.Sorted(maps.Keys(in.Skipped)) {
		n := in.Skipped[kind]
		if n == 0 {
			continue
		}
		text, why := analysis.Counted(n, "line")+" "+Clean(kind), kinds[kind]
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

// noteTexts groups notes by kind: "Hole", "Restart".
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

// label returns the label for a kind of note: the kind itself if it is short enough,
// else "Note".
func label(kind string) string {
	kind = Clean(strings.ReplaceAll(kind, "-", " "))
	if kind == "" || columns(kind) >= summaryRoom {
		return "Note"
	}
	first, size := utf8.DecodeRuneInString(kind)
	return string(unicode.ToUpper(first)) + kind[size:]
}

// blindTexts groups blind analyzers by reason: those that see nothing or, if inPart is
// set, those that see only a part.
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
