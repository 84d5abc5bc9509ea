package report

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/report/picture"
)

// A document is what the page's template shows. Its texts are clean; the
// template escapes them on top.
type document struct {
	Style  template.CSS
	Policy string

	Title, Headline, Version string
	Facts                    []fact
	Only                     *verdict  // the only verdict, which the headline tells already
	Verdicts                 []verdict // if there are several
	MoreVerdicts             string    // how many there are beside Verdicts
	Nothing                  string    // that nothing was found, and how much that is worth
	Hidden                   string    // how many findings the minima hide
	Left                     string    // how many findings the page has no room for

	Picture  *drawing // of the whole log
	Stories  []tale
	Others   []card // findings that belong to no incident
	Sessions []card // long sessions
	Remedies []fact // for Others, by analyzer
	Cures    []fact // for Sessions
	Latency  []bucket
	Clients  []busyClient
	Limits   []fact // what the log can't tell
	Sources  []source
}

// A verdict is a line at the top that leads to its proof.
type verdict struct {
	Severity   analysis.Severity
	Confidence analysis.Confidence
	Text       string
	Window     string
	Story      int // the number of the incident, or 0
	Card       int // the number of the finding, if it is no incident
}

// mostVerdicts is how many lines stand at the top.
const mostVerdicts = 12

func newDocument(r *Report, o Options) *document {
	out := r.outline(o)
	b := &builder{r: r, clock: r.clock(), span: r.span(), numbers: map[string]int{}}
	findings := out.all()
	for i := range findings {
		b.numbers[findings[i].ID] = i + 1
	}
	v := &document{
		Headline: r.headline(&out), Version: Clean(r.Version), Facts: facts(r),
		Hidden: r.hiddenText(o), Left: out.leftOut(),
		Picture: b.whole(findings),
		Latency: buckets(&r.Overview.Latency), Clients: busyClients(r), Limits: limits(r), Sources: sources(r),
	}
	v.Title = "kaudit: " + v.Headline
	if len(out.stories)+len(out.others) == 0 {
		v.Nothing = r.nothing(o)
	}
	for i := range out.stories {
		v.Stories = append(v.Stories, b.tale(i+1, &out.stories[i]))
	}
	v.Others, v.Sessions = b.cards(out.others), b.cards(out.sessions)
	v.Remedies, v.Cures = remedies(out.others), remedies(out.sessions)
	v.addVerdicts()
	return v
}

func (v *document) addVerdicts() {
	var all []verdict
	for _, s := range v.Stories {
		all = append(all, verdict{s.Severity, s.Confidence, s.Title, s.Window, s.N, 0})
	}
	for _, c := range v.Others {
		all = append(all, verdict{c.Severity, c.Confidence, c.Title, c.Window, 0, c.N})
	}
	if len(all) == 1 {
		v.Only = &all[0]
		return
	}
	if len(all) > mostVerdicts {
		v.MoreVerdicts = fmt.Sprintf("and %s below", analysis.Counted(len(all)-mostVerdicts, "more finding"))
		all = all[:mostVerdicts]
	}
	v.Verdicts = all
}

// A builder makes the parts of a document.
type builder struct {
	r       *Report
	clock   clock
	span    picture.Span
	numbers map[string]int // of findings, by id
}

// facts returns what was read.
func facts(r *Report) []fact {
	in := &r.Input
	var all []fact
	if in.First != 0 {
		all = append(all, fact{"Time", []string{fmt.Sprintf("%s to %s, %s", second(in.First), second(in.Last), duration(in.Last.Sub(in.First)))}})
	}
	all = append(all, fact{"Read", []string{readText(in)}})
	if in.Events > 0 {
		all = append(all, fact{"Levels", []string{levelsText(in.Levels)}}, fact{"Stages", []string{stagesText(in.Stages)}})
	}
	if in.Selected != nil {
		all = append(all, fact{"Selected", []string{selectedText(in)}})
	}
	return all
}

type source struct {
	Name, Format, Events, Size, Error string
}

// mostSources is how many files the page names.
const mostSources = 50

func sources(r *Report) []source {
	var all []source
	for i := range r.Input.Sources {
		if i == mostSources {
			all = append(all, source{Name: fmt.Sprintf("and %d more", len(r.Input.Sources)-i)})
			break
		}
		s := &r.Input.Sources[i]
		all = append(all, source{Clean(s.Name), Clean(s.Format), number(s.Events), size(s.Bytes), Clean(s.Error)})
	}
	return all
}

// limits returns what the logs can't tell, with at most mostLimits texts each.
func limits(r *Report) []fact {
	var all []fact
	for _, f := range r.limits() {
		more := len(f.Texts) - mostLimits
		if more > 1 {
			f.Texts = append(f.Texts[:mostLimits:mostLimits], fmt.Sprintf("and %d more", more))
		}
		if len(f.Texts) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// mostLimits is how many notes of one kind a document has.
const mostLimits = 20

// upper returns the title with its first letter in upper case, as a sentence
// begins, unless it begins with a name such as system:node:n1: alice is not Alice.
func upper(f *analysis.Finding) string {
	s := f.Title
	word, _, _ := strings.Cut(s, " ")
	if word == f.Subject.User || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return s
	}
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// titleOf returns the title of an incident with its first letter in upper case if
// it begins with one of these words. Others begin with the name of a client.
func titleOf(in *incident.Incident) string {
	title := Clean(in.Title)
	switch word, _, _ := strings.Cut(title, " "); word {
	case "a", "an", "the", "what", "sessions":
		return strings.ToUpper(title[:1]) + title[1:]
	}
	return title
}
