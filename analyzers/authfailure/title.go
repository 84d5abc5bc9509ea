package authfailure

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// title says who was refused what, how often, and within what time.
func (s *State) title(p *analysis.Pass, f *analysis.Finding) string {
	what := analysis.FirstOf(2, analysis.PlainAll(s.Asked.Members()))
	span := max(time.Second, s.Span.Len()).Round(time.Second)
	switch p.Key.Kind {
	case kindUnauthenticated:
		return fmt.Sprintf("%d requests from %s%s failed authentication (401) within %s: %s%s", f.Count, from(p), programOf(f), span, what, before(f))
	case kindNode:
		return fmt.Sprintf("%s was refused %d times (403) what is not known to belong to it, within %s: %s", name(p), f.Count, span, what)
	case kindAdmission:
		return fmt.Sprintf("%s was refused %d times (403) by admission%s, within %s: %s%s", name(p), f.Count, in(p), span, what, because(analysis.PlainAll(s.Said.Members())))
	}
	return fmt.Sprintf("%s was refused %d times (403) within %s: %s", name(p), f.Count, span, what)
}

// in says into which namespace, if it is known.
func in(p *analysis.Pass) string {
	if p.Key.Namespace == (audit.Sym{}) {
		return ""
	}
	return " in " + analysis.Plain(p.Key.Namespace.String())
}

// because says, in brackets, the first of the causes that the API server gave, if any.
func because(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return " (" + said[0] + ")"
}

// programOf names the program, in brackets, if there is only one.
func programOf(f *analysis.Finding) string {
	if f.Subject.UserAgent == "" {
		return ""
	}
	return " (" + analysis.Plain(f.Subject.UserAgent) + ")"
}

// before says as whom the client was known before, if it was.
func before(f *analysis.Finding) string {
	users, _ := f.Details["knownAs"].([]string)
	if len(users) == 0 {
		return ""
	}
	return "; until then it was " + analysis.FirstOf(2, users)
}

// from names the address that requests came from.
func from(p *analysis.Pass) string {
	if p.Key.SourceIP == (audit.Sym{}) {
		return "an unknown address"
	}
	return analysis.Plain(p.Key.SourceIP.String())
}

// name names the client.
func name(p *analysis.Pass) string {
	c := p.Key.Client()
	return c.Text()
}
