package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

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

// split tells long sessions from the other findings. Sessions that tell of a
// fault are among these.
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
	return fmt.Sprintf("%s %s hidden; %s shows %s.", and(parts), are, strings.Join(flags, " "), them)
}

// countHidden returns what the minima hide, and the lowest severity below the
// minimum among it, or "": what is hidden as possible may be info besides.
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

// mostID is longer than an id is that a scan makes: a saved report may hold any.
const mostID = 64

// mostArguments is how many bytes of arguments are repeated.
const mostArguments = 200

// arguments returns what the command was given, to be typed again; if that is
// much, only that there was something. A name that looks like a flag has a path
// before it.
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

// ShellWord returns s as one word of a shell, quoted if need be: one with what
// a terminal must not get as $'...', which names the same bytes.
func ShellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	if !isClean(s) {
		return ansiWord(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ansiWord quotes s for bash, zsh and ksh. Bytes are octal, of three digits: no
// other form ends before a digit that follows.
func ansiWord(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString("\\" + s[:size])
		case printable(r) && r != utf8.RuneError:
			b.WriteString(s[:size])
		default:
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		s = s[size:]
	}
	return b.String() + "'"
}

// and joins parts as a sentence does.
func and(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// plural returns "1 line", "2 lines".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
