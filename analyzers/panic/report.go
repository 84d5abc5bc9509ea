package panics

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatAbort   = "nothing crashed: a panic with http.ErrAbortHandler is how Go cuts a connection"
	caveatUnknown = "the log does not say what the handler panicked with: a connection that was cut on purpose (http.ErrAbortHandler) looks the same"

	unknown = "unknown" // the value of a panic without a message

	// late is how long after its receipt a panic is worth saying so: most come
	// within milliseconds.
	late = time.Second
)

// Report reports the panics.
func (s *State) Report(p *analysis.Pass) {
	if s.Refs.N == 0 {
		return
	}
	n := int(s.Refs.N)
	f := analysis.Finding{
		Severity: analysis.Critical, Confidence: analysis.Confirmed, Count: n,
		Subject: s.subject(p), First: s.Span.First, Last: s.Span.Last,
		Marks: s.marks(p), Evidence: analysis.Cite(s.Refs.Refs...),
		Details: analysis.Details{
			"kind": p.Key.Kind.String(), "panics": n, "aborts": 0, "value": s.value(),
			"verbs": texts(&s.Verbs), "users": texts(&s.Users),
			"minSeconds": s.Took.Min().Seconds(), "maxSeconds": s.Took.Max().Seconds(),
		},
	}
	if p.Key.Kind == kindAbort {
		f.Severity = analysis.Info
		f.Details["panics"], f.Details["aborts"] = 0, n
		f.Caveats = []string{caveatAbort}
	} else if s.value() == unknown {
		f.Confidence, f.Caveats = analysis.Likely, []string{caveatUnknown}
		if s.cuttable(p) {
			f.Confidence = analysis.Possible
		}
	}
	f.Title = s.title(p, n)
	p.Report(f)
}

// value returns a value that was panicked with: where they differ in numbers,
// the first in order.
func (s *State) value() string {
	if values := s.Values.Members(); len(values) > 0 && values[0] != "" {
		return analysis.Plain(values[0])
	}
	return unknown
}

// cuttable reports whether all were of the kinds of request whose connections
// are cut on purpose, as a rule: watches and what is proxied.
func (s *State) cuttable(p *analysis.Pass) bool {
	if p.Key.Subresource == audit.SubProxy {
		return true
	}
	verbs := s.Verbs.Members()
	return len(verbs) == 1 && verbs[0] == audit.VerbWatch.String()
}

// subject is the resource, with what all of the panics have in common.
func (s *State) subject(p *analysis.Pass) analysis.Subject {
	subject := p.Key.Subject()
	subject.Name = sole(&s.Names)
	subject.Namespace = sole(&s.Spaces)
	subject.User, subject.UserAgent, subject.SourceIP = sole(&s.Users), sole(&s.Agents), sole(&s.IPs)
	if subject == (analysis.Subject{}) {
		subject.Name = "/"
	}
	return subject
}

// sole returns the only member of a set, or "".
func sole(s *tally.Set) string {
	if members := s.Members(); len(members) == 1 && s.Exact() {
		return members[0]
	}
	return ""
}

func texts(s *tally.Set) []string {
	all := []string{}
	for _, text := range s.Members() {
		if text != "" {
			all = append(all, analysis.Plain(text))
		}
	}
	return all
}

func (s *State) title(p *analysis.Pass, n int) string {
	of := s.what(p)
	if p.Key.Kind == kindAbort {
		return fmt.Sprintf("%s of %s cut on purpose (%s)", analysis.Counted(n, "connection"), of, s.value())
	}
	title := fmt.Sprintf("the API server panicked %s on %s: %s", analysis.Times(n), of, s.value())
	if least := s.Took.Min(); s.Took.Count() == int64(n) && least >= late {
		title += fmt.Sprintf(", %s or more after the request was received", least.Round(100*time.Millisecond))
	}
	return title
}

// what names the requests: verbs, resource, and the user if there is one.
func (s *State) what(p *analysis.Pass) string {
	what := "paths without a resource"
	if name := sole(&s.Names); p.Key.Resource.String() != "" {
		subject := p.Key.Subject()
		what = subject.Kind()
		if sub := p.Key.Subresource.String(); sub != "" {
			what += "/" + sub
		}
	} else if name != "" {
		what = name
	}
	if verbs := texts(&s.Verbs); len(verbs) > 0 {
		what = strings.Join(verbs, ", ") + " " + what
	}
	if user := sole(&s.Users); user != "" {
		what += " by " + user
	} else if users := s.Users.Len(); users > 1 {
		what += fmt.Sprintf(" by %d users", users)
	}
	return analysis.Plain(what)
}

func (s *State) marks(p *analysis.Pass) []analysis.Mark {
	var marks []analysis.Mark
	for step, n := range s.Steps.All() {
		marks = append(marks, analysis.Mark{
			Kind: p.Key.Kind.String(), N: int(*n),
			From: max(step.From, s.Span.First), To: min(step.To, s.Span.Last),
		})
	}
	return analysis.Coarsen(marks)
}
