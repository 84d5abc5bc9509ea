package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// Table writes the report for a person: what was read and what the log can't
// show, the findings worst first, long sessions, the incidents in plain words,
// what to do about other findings, and what to type next. It fits o.Width
// columns; Wide asks for at least wideWidth.
func Table(w io.Writer, r *Report, o Options) error {
	p := &page{width: o.width(), paint: painter(o.Color)}
	if o.Wide {
		p.width = max(p.width, wideWidth)
	}
	p.summary(r, o)
	findings, sessions := split(r.Shown(o))
	if err := p.findings(r, findings, o); err != nil {
		return err
	}
	if err := p.sessions(r, sessions, o); err != nil {
		return err
	}
	if text := r.hiddenText(o); text != "" {
		p.WriteByte('\n')
		p.para(0, text)
	}
	if o.Wide {
		p.proofs(slices.Concat(findings, sessions))
	}
	p.stories(r, o)
	p.remedies(r, o)
	if !o.Quiet {
		p.next(slices.Concat(findings, sessions), o)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// split separates long sessions from the other findings. Sessions with a fault are
// among the others.
func split(shown []analysis.Finding) (findings, sessions []analysis.Finding) {
	for _, f := range shown {
		if isLongSession(&f) {
			sessions = append(sessions, f)
		} else {
			findings = append(findings, f)
		}
	}
	return findings, sessions
}

// hiddenText says how many findings the minima hide, and how to see them.
func (r *Report) hiddenText(o Options) string {
	h, lowest := r.countHidden(o)
	var parts, flags []string
	for _, part := range []struct {
		n    int
		name string
	}{{h.Possible, "possible"}, {h.Likely, "likely"}, {h.Info, "info"}, {h.Warning, "warning"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	switch {
	case h.Possible > 0:
		flags = append(flags, "--min-confidence possible")
	case h.Likely > 0:
		flags = append(flags, "--min-confidence likely")
	}
	if lowest != "" {
		flags = append(flags, "--min-severity "+string(lowest))
	}
	are, them := "findings are", "them"
	switch h.Sum() {
	case 0:
		return ""
	case 1:
		are, them = "finding is", "it"
	}
	return fmt.Sprintf("%s %s hidden; %s shows %s.", analysis.And(parts), are, strings.Join(flags, " "), them)
}

// countHidden returns how many findings the minima hide, and the lowest severity among
// these if it is below the minimum, or "": a finding that is hidden as possible may be
// hidden as info as well.
func (r *Report) countHidden(o Options) (h Hidden, lowest analysis.Severity) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if o.hides(f, &h) && o.tooLow(f) && (lowest == "" || f.Severity.Rank() < lowest.Rank()) {
			lowest = f.Severity
		}
	}
	return h, lowest
}

// next says what to type to learn more.
func (p *page) next(shown []analysis.Finding, o Options) {
	var names []string
	for i := range shown {
		if name := shown[i].Analyzer; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	p.heading("Next")
	room := len(o.command("")) + 27
	for _, name := range names {
		p.item(2, room, o.command("explain")+" "+Clean(name), "what it means and what to do")
	}
	command := cmp.Or(o.Command, "scan")
	if !o.Wide {
		p.para(2, "the lines that prove it, and what speaks against it:")
		p.WriteString("    " + p.paint.dim(o.command(command)+" -o wide"+o.arguments()) + "\n")
	}
	if id := shown[0].ID; command == "scan" && len(id) <= mostID && ShellWord(id) == id {
		p.para(2, "what went on around it:")
		p.WriteString("    " + p.paint.dim(o.command("timeline")+" --finding "+id+o.arguments()) + "\n")
	}
}

// mostID is longer than any ID that a scan makes. A saved report may have any text.
const mostID = 64

// mostArguments is up to how many bytes arguments are repeated in the advice.
const mostArguments = 200

// arguments returns the command's arguments, to be typed again, or "FILE..." if they
// are long. A name that looks like a flag gets "./" before it.
func (o Options) arguments() string {
	var b strings.Builder
	for _, arg := range o.Arguments {
		if strings.HasPrefix(arg, "-") && arg != "-" {
			arg = "./" + arg
		}
		b.WriteString(" " + ShellWord(arg))
	}
	if b.Len() > mostArguments {
		return " FILE..."
	}
	return b.String()
}
