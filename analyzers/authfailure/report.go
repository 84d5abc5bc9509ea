package authfailure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatSteady    = "it is refused one thing, evenly from the log's beginning to its end, or to the client's, or until it asks no more: a permission that was never given, rather than an event"
	caveatBrief     = "the log is too short for more: half of what makes a burst, from its beginning to its end, was enough"
	caveatExpired   = "the log ends soon after: half of what makes a burst was enough, since the same program was known before at that address, and never since"
	caveatArrived   = "it came in the midst of the log, and is refused one thing evenly ever since: it may be new, or have been refused elsewhere all the time"
	caveatElsewhere = "another API server serves this cluster, whose log is not here: it may have come from that one, or gone to it"
	caveatAnonymous = "paths such as /healthz are asked for by load balancers and scanners without a name, and stay closed to them"
	caveatNode      = "the log has no writes of pods: these may be objects that were just created"
	anonymous       = "system:anonymous"
)

// Report reports the refusals, unless they are few.
func (s *State) Report(p *analysis.Pass) {
	window := max(time.Minute, p.Duration(optWindow))
	least := int64(max(1, p.Int(optLeast)))
	if _, most := s.count(nil, window); most < least {
		return // as nearly all; when servers started need not be asked
	}
	all, most := s.count(p.Facts.MayHaveStarted(), window)
	if most < least || p.Key.Kind == kindNode && s.justCreated(p, all) {
		return
	}
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Subject: s.subject(p),
		Count: int(all), First: s.Span.First, Last: s.Span.Last,
		Marks: s.marks(), Evidence: analysis.Cite(s.Refs.Refs...),
		Details: analysis.Details{
			"kind": p.Key.Kind.String(), "failures": int(all), "worstWindow": int(most),
			"asked": plain(s.Asked.Members()), "userAgents": plain(s.Agents.Members()), "messages": plain(s.Said.Members()),
		},
	}
	switch {
	case most >= int64(max(1, p.Int(optFailures))):
		f.Severity = analysis.Warning
	case p.Key.Kind == kindUnauthenticated && s.fills(p.Facts.Chosen(), window):
		f.Severity, f.Confidence = analysis.Warning, analysis.Likely
		f.Caveats = append(f.Caveats, caveatBrief)
	case p.Key.Kind == kindUnauthenticated && s.expired(p, window):
		f.Severity, f.Confidence = analysis.Warning, analysis.Likely
		f.Caveats = append(f.Caveats, caveatExpired)
	}
	if f.Severity == analysis.Warning {
		s.doubt(p, &f, window)
	}
	f.Title = s.title(p, &f)
	p.Report(f)
}

// fills reports whether the refusals go on for four fifths of a part of the log that
// is too short to hold as many as a window may.
func (s *State) fills(part tally.Span, window time.Duration) bool {
	return part.Len() < window && 5*s.Span.Len() >= 4*part.Len()
}

// expired reports whether an address was known before it failed authentication, and
// by the same program never since, for longer than it takes to read a token anew, up
// to the end of a log that goes on for less than a window.
func (s *State) expired(p *analysis.Pass, window time.Duration) bool {
	chosen := p.Facts.Chosen()
	if s.Span.Len() <= time.Minute || !s.fills(tally.Span{First: s.Span.First, Last: chosen.Last}, window) {
		return false
	}
	before, _ := s.known(p, chosen.First, s.Span.First)
	since, sure := s.known(p, s.Span.First.Add(time.Minute), chosen.Last)
	return before && !since && sure
}

// known reports whether somebody with a name made requests from the same address, with
// one of the same programs. If not, sure tells whether all clients were counted.
func (s *State) known(p *analysis.Pass, from, to audit.Time) (known, sure bool) {
	clients, sure := p.Facts.ClientsWithin(from, to, math.MaxInt)
	return slices.ContainsFunc(clients, func(c analysis.ClientCount) bool {
		user := c.Client.User.String()
		return user != "" && user != anonymous && c.Client.SourceIP == p.Key.SourceIP && s.Agents.Has(c.Client.UserAgent.String())
	}), sure && s.Agents.Exact()
}

// doubt lowers a warning where it may be what happens every day.
func (s *State) doubt(p *analysis.Pass, f *analysis.Finding, window time.Duration) {
	one := s.Asked.Exact() && s.Asked.Len() == 1
	switch p.Key.Kind {
	case kindNode:
		f.Confidence = analysis.Likely
		if p.Facts.WritesOf(analysis.Scope{Resource: resourcePods}) == 0 {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatNode)
		}
	case kindUnauthenticated:
		if !one || !s.Asked.Has(pathAsked) || s.said("attempted") || !s.steady(p, p.Facts.Chosen(), window) {
			return
		}
		if s.said("no credentials") {
			f.Severity = analysis.Info
		} else {
			f.Confidence = analysis.Possible
		}
		f.Caveats = append(f.Caveats, caveatAnonymous)
	case kindForbidden, kindAdmission:
		if one {
			s.doubtForbidden(p, f, window)
		}
	}
}

// doubtForbidden lowers a warning of a client that is refused one thing.
func (s *State) doubtForbidden(p *analysis.Pass, f *analysis.Finding, window time.Duration) {
	chosen := p.Facts.Chosen()
	switch {
	case p.Key.User.String() == anonymous && s.Asked.Has(pathAsked):
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, caveatAnonymous)
	case s.steady(p, tally.Span{First: chosen.First, Last: s.leaves(p, chosen, window)}, window):
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, caveatSteady)
	case s.steady(p, tally.Span{First: s.Span.First, Last: chosen.Last}, window) && s.arrived(p):
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatArrived)
		if p.Facts.Partial() {
			f.Severity = analysis.Info
			f.Caveats = append(f.Caveats, caveatElsewhere)
		}
	case s.comesAndGoes(p, window):
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, caveatElsewhere)
	}
}

// said reports whether the API server said so of a failed authentication: that one
// was attempted, or that there were no credentials. Old ones say neither.
func (s *State) said(text string) bool {
	return slices.ContainsFunc(s.Said.Members(), func(said string) bool { return strings.Contains(said, text) })
}

// leaves returns when the client went, or asked no more for what it never did in
// this log: at its last refusal, if it was refused for a window at least and made
// no request after that, or none that tells of a permission; else with the log.
func (s *State) leaves(p *analysis.Pass, chosen tally.Span, window time.Duration) audit.Time {
	after := s.Span.Last.Add(time.Minute)
	if s.Span.Len() < window || after >= chosen.Last {
		return chosen.Last
	}
	if wrote, known := s.wrote(p); wrote || !known && s.goesOn(p) {
		return chosen.Last
	}
	return s.Span.Last
}

// comesAndGoes reports whether the client, which never made the write that it is
// refused, evenly and for a window at least, may have come from an API server whose
// log is not here, or have gone to one: that its refusals begin or end in this log
// tells nothing then. Of one that is refused a read it is so if it asks for nothing
// before or after.
func (s *State) comesAndGoes(p *analysis.Pass, window time.Duration) bool {
	if !p.Facts.Partial() || s.Span.Len() < window || !s.steady(p, s.Span, window) {
		return false
	}
	wrote, known := s.wrote(p)
	return known && !wrote || !known && s.arrived(p) && !s.goesOn(p)
}

// goesOn reports whether the client makes requests after it was refused for the
// last time, in the minutes after, or may have made some.
func (s *State) goesOn(p *analysis.Pass) bool {
	clients, all := p.Facts.ClientsWithin(s.Span.Last.Add(time.Minute), p.Facts.Chosen().Last, math.MaxInt)
	return !all || slices.ContainsFunc(clients, func(c analysis.ClientCount) bool { return c.Client == p.Key.Client() })
}

// wrote reports whether the user ever made a write of the kind that was refused:
// if not, it was not given the permission in this log, and had it not lost. Of
// reads, and of too many writers, that is not known.
func (s *State) wrote(p *analysis.Pass) (wrote, known bool) {
	if !s.Written.Exact() || s.Written.Len() == 0 || s.Written.Has("") {
		return false, false
	}
	for _, kind := range s.Written.Members() {
		group, rest, _ := strings.Cut(kind, "/")
		resource, namespace, _ := strings.Cut(rest, "/")
		writers, all := p.Facts.Writers(analysis.Scope{Group: audit.Intern(group), Resource: audit.Intern(resource), Namespace: audit.Intern(namespace)})
		if !all {
			return false, false
		}
		wrote = wrote || slices.ContainsFunc(writers, func(c analysis.Client) bool { return c.User == p.Key.User })
	}
	return wrote, true
}

// arrived reports whether the client made no request before it was refused, in
// the minutes before.
func (s *State) arrived(p *analysis.Pass) bool {
	before := s.Span.First.Add(-time.Minute)
	clients, all := p.Facts.ClientsWithin(p.Facts.Span.First, before, math.MaxInt)
	return all && !slices.ContainsFunc(clients, func(c analysis.ClientCount) bool { return c.Client == p.Key.Client() })
}

// justCreated reports whether pods were created, deleted or written in the
// namespace as the refusals came, one for four refusals or more: the API
// server learns a little later than the node what belongs to it, and the node
// asks again.
func (s *State) justCreated(p *analysis.Pass, all int64) bool {
	const before = 60e6 // microseconds: a kubelet backs off to that
	pods := analysis.Scope{Resource: resourcePods, Namespace: p.Key.Namespace}
	from, to := s.Span.First-before, s.Span.Last
	changes := p.Facts.ChangesWithin(pods, from, to) + p.Facts.UpdatesWithin(pods, from, to)
	return changes > 0 && 4*int64(changes) >= all
}

// subject is the key's, with the agent or node if there is one.
func (s *State) subject(p *analysis.Pass) analysis.Subject {
	subject := p.Key.Subject()
	if agents := s.Agents.Members(); len(agents) == 1 && s.Agents.Exact() {
		subject.UserAgent = agents[0]
	}
	subject.Node = strings.TrimPrefix(subject.User, nodePrefix)
	if subject.Node == subject.User {
		subject.Node = ""
	}
	if subject == (analysis.Subject{}) {
		subject.Name = "/" // no name, no program, no address
	}
	return subject
}

func plain(texts []string) []string {
	for i := range texts {
		texts[i] = analysis.Plain(texts[i])
	}
	return texts
}

func (s *State) title(p *analysis.Pass, f *analysis.Finding) string {
	what := someOf(plain(s.Asked.Members()))
	span := max(time.Second, s.Span.Len()).Round(time.Second)
	switch p.Key.Kind {
	case kindUnauthenticated:
		return fmt.Sprintf("%d requests from %s%s failed authentication (401) within %s: %s", f.Count, from(p), programOf(f), span, what)
	case kindNode:
		return fmt.Sprintf("%s was refused %d times (403) what is not known to belong to it, within %s: %s", name(p), f.Count, span, what)
	case kindAdmission:
		return fmt.Sprintf("%s was not admitted %d times (403)%s within %s: %s%s", name(p), f.Count, in(p), span, what, because(plain(s.Said.Members())))
	}
	return fmt.Sprintf("%s was refused %d times (403) within %s: %s", name(p), f.Count, span, what)
}

// in names the namespace, if there is one.
func in(p *analysis.Pass) string {
	if p.Key.Namespace == (audit.Sym{}) {
		return ""
	}
	return " to " + analysis.Plain(p.Key.Namespace.String())
}

// because tells the first of the causes that the API server gave.
func because(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return " (" + said[0] + ")"
}

// someOf names the first two of what was asked for.
func someOf(asked []string) string {
	what := strings.Join(asked[:min(len(asked), 2)], ", ")
	if n := len(asked) - 2; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
	}
	return what
}

func programOf(f *analysis.Finding) string {
	if f.Subject.UserAgent == "" {
		return ""
	}
	return " (" + analysis.Plain(f.Subject.UserAgent) + ")"
}

func from(p *analysis.Pass) string {
	if p.Key.SourceIP == (audit.Sym{}) {
		return "an unknown address"
	}
	return analysis.Plain(p.Key.SourceIP.String())
}

func name(p *analysis.Pass) string {
	c := p.Key.Client()
	return c.Text()
}

func (s *State) marks() []analysis.Mark {
	var all []analysis.Mark
	for step, m := range s.Minutes.All() {
		if n := m.refusals(); n > 0 {
			all = append(all, analysis.Mark{Kind: "refused", From: max(step.From, s.Span.First), To: min(step.To, max(s.Span.Last, step.From)), N: int(n)})
		}
	}
	return analysis.Coarsen(all)
}
