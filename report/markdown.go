package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// Markdown writes the report for a ticket: headings, lists and tables as
// CommonMark and GitHub know them, no HTML, no pictures but spark lines.
func Markdown(w io.Writer, r *Report, o Options) error {
	out := r.outline(o)
	m := &markdown{builder: builder{r: r, clock: r.clock(), span: r.span()}}
	m.block("# " + sentence(r.headline(&out)))
	if len(out.stories)+len(out.others) == 0 {
		m.block(sentence(r.nothing(o)))
	}
	m.labels(facts(r))
	m.verdicts(&out)
	for i := range out.stories {
		m.story(i+1, &out.stories[i])
	}
	m.findings("Findings", out.others)
	m.findings("Long sessions", out.sessions)
	m.block(sentence(strings.TrimSpace(out.leftOut() + " " + r.hiddenText(o))))
	m.load()
	if all := limits(r); len(all) > 0 {
		m.block("## What this log can't tell")
		m.labels(all)
	}
	m.block(sentence("Made by kaudit " + Clean(r.Version) + ". Times are UTC."))
	_, err := io.WriteString(w, strings.TrimLeft(m.String(), "\n"))
	return err
}

// A markdown is a document that is being written: blocks with an empty line between
// them.
type markdown struct {
	strings.Builder
	builder
}

// block writes lines that belong together, unless there are none.
func (m *markdown) block(lines ...string) {
	text := strings.Join(lines, "\n")
	if strings.TrimSpace(text) != "" {
		m.WriteString("\n" + text + "\n")
	}
}

func (m *markdown) labels(all []fact) {
	var lines []string
	for _, f := range all {
		for _, text := range f.Texts {
			lines = append(lines, "- **"+sentence(f.Label)+":** "+sentence(text))
		}
	}
	m.block(lines...)
}

// table writes rows of cells that are escaped already.
func (m *markdown) table(titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	lines := []string{"| " + strings.Join(titles, " | ") + " |", strings.Repeat("|---", len(titles)) + "|"}
	for _, row := range rows {
		lines = append(lines, "| "+strings.Join(row, " | ")+" |")
	}
	m.block(lines...)
}

// verdicts writes the table at the top, which shows when each thing happened over
// the span of the log.
func (m *markdown) verdicts(out *outline) {
	var rows [][]string
	for i := range out.stories {
		s := &out.stories[i]
		var root *analysis.Finding
		if len(s.findings) > 0 {
			root = s.findings[0]
		}
		rows = append(rows, m.verdict(s.Severity, s.Confidence, titleOf(s.Incident), root))
	}
	for _, f := range out.others {
		if len(rows) == mostVerdicts {
			rows = append(rows, []string{"", "", "and more below", ""})
			break
		}
		rows = append(rows, m.verdict(f.Severity, f.Confidence, upper(f), f))
	}
	m.table([]string{"severity", "confidence", "what", "over the log"}, rows)
}

// sparkCells is how many cells a spark line has in a document.
const sparkCells = 24

func (m *markdown) verdict(s analysis.Severity, c analysis.Confidence, title string, f *analysis.Finding) []string {
	line := ""
	if f != nil && m.span.To > m.span.From {
		line = "`" + sparkLine(picture.Spark(f, m.span, sparkCells)) + "`"
	}
	return []string{string(s), string(c), sentence(Clean(title)), line}
}

func (m *markdown) story(n int, s *story) {
	t := m.tale(n, s)
	m.block(fmt.Sprintf("## Incident %d: %s", n, sentence(t.Title)))
	m.block(sentence(fmt.Sprintf("%s, %s. %s", t.Severity, t.Confidence, t.Window)))
	for _, part := range []struct{ label, text string }{
		{"Cause", t.Cause}, {"What to do", t.Remedy}, {"What does not help", t.Avoid}, {"What would settle it", t.Proof},
	} {
		if part.text != "" {
			m.block("**" + part.label + ".** " + sentence(part.text))
		}
	}
	var rows [][]string
	for _, e := range t.Sequence {
		rows = append(rows, []string{e.Time, sentence(e.Text)})
	}
	m.table([]string{"UTC", "sequence"}, rows)
	for i := range t.Cards {
		m.card(&t.Cards[i])
	}
}

func (m *markdown) findings(heading string, findings []*analysis.Finding) {
	if len(findings) == 0 {
		return
	}
	m.block("## " + heading)
	remedies := remedies(findings)
	for i := range remedies {
		remedies[i].Label = "What to do (" + remedies[i].Label + ")"
	}
	m.labels(remedies)
	for _, f := range findings {
		c := m.builder.card(f)
		m.card(&c)
	}
}

func (m *markdown) card(c *card) {
	m.block("### " + sentence(c.Title))
	m.labels([]fact{
		{"Severity", []string{fmt.Sprintf("%s, %s", c.Severity, c.Confidence)}},
		{"When", nonEmpty(c.Window)},
		{"Client", nonEmpty(c.Client)},
		{"Object", nonEmpty(c.Object)},
		{"Lasted", nonEmpty(c.Lasted)},
		{"Id", nonEmpty(c.ID)},
		{"But", c.Caveats},
	})
	var rows [][]string
	for _, h := range c.Heard {
		if h.Spark != "" {
			h.Spark = "`" + h.Spark + "`"
		}
		rows = append(rows, []string{sentence(h.Label), h.Spark, sentence(h.Else)})
	}
	m.table([]string{"node", "heard over the log", "besides"}, rows)
	rows = nil
	for _, e := range c.Evidence {
		rows = append(rows, []string{span(e.Place), e.Time, sentence(e.Summary), span(e.AuditID)})
	}
	m.table([]string{"line", "UTC", "what it says", "audit ID"}, rows)
}

// load writes how many requests there were: over time, by latency, and by client.
func (m *markdown) load() {
	v := &m.r.Overview
	if sum(v.Requests) == 0 {
		return
	}
	m.block("## Load")
	d := &drawing{}
	values := map[string][]int64{"curve-requests": v.Requests, "curve-errors": v.Errors}
	var lines []string
	for _, c := range m.curves(d) {
		lines = append(lines, fmt.Sprintf("- **%s:** `%s` %s", c.Label, sparkLine(coarse(values[c.Class], 2*sparkCells)), c.About))
	}
	m.block(lines...)
	var rows [][]string
	for _, b := range buckets(&v.Latency) {
		rows = append(rows, []string{b.Bound, b.Count, b.Share})
	}
	m.table([]string{"took", "requests", "share"}, rows)
	rows = nil
	for _, c := range busyClients(m.r) {
		rows = append(rows, []string{span(c.User), span(c.Agent), span(c.IP), c.Requests, c.Errors})
	}
	m.table([]string{"client", "user agent", "address", "requests", "answered 4xx, 5xx"}, rows)
}
