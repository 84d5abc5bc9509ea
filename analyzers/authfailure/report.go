package authfailure

import (
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatSteady    = "it is refused one thing, evenly from the log's beginning to its end, or to the client's, or until it asks no more: a permission that was never given, or a policy that stays, rather than an event"
	caveatBrief     = "the log is too short for more: half of what makes a burst, from its beginning to its end, was enough"
	caveatExpired   = "the log ends soon after: half of what makes a burst was enough, since the same program was known before at that address, and never since"
	caveatArrived   = "it came in the midst of the log, and is refused one thing evenly ever since: it may be new, or have been refused elsewhere all the time"
	caveatElsewhere = "another API server serves this cluster, whose log is not here: it may have come from that one, or gone to it"
	caveatAnonymous = "paths such as /healthz are asked for by load balancers and scanners without a name, and stay closed to them"
	caveatNode      = "the log has no writes of pods: these may be objects that were just created"
	caveatNodeMany  = "pods are written in more namespaces than are kept: these may be objects that were just created"
	anonymous       = "system:anonymous"
)

// Report reports the refusals as a warning if they are a burst, as information if there
// are fewer, and not at all if they are very few.
func (s *State) Report(p *analysis.Pass) {
	if p.Key.Kind == kindProgram {
		s.reportPart(p)
		return
	}
	window := p.Duration(optWindow)
	least := int64(max(1, p.Int(optLeast)))
	if _, most := s.count(nil, window); most < least {
		return // most states: it is not worth asking when servers started
	}
	all, most := s.count(p.Facts.AllStarts(), window)
	if most < least || p.Key.Kind == kindNode && s.justCreated(p, all) {
		return
	}
	f := s.finding(p, all, most)
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
	if users := s.knownAs(p); p.Key.Kind == kindUnauthenticated && len(users) > 0 {
		f.Details["knownAs"] = users
	}
	f.Title = s.title(p, &f)
	p.Report(f)
}

// finding returns what is known of the refusals: all of them, and most in a window.
func (s *State) finding(p *analysis.Pass, all, most int64) analysis.Finding {
	return analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Subject: s.subject(p),
		Count: int(all), First: s.Span.First, Last: s.Span.Last,
		Marks: s.marks(), Evidence: analysis.Cite(s.Refs.Refs...),
		Details: analysis.Details{
			"kind": p.Key.Kind.String(), "failures": int(all), "worstWindow": int(most),
			"asked": analysis.PlainAll(s.Asked.Members()), "userAgents": analysis.PlainAll(s.Agents.Members()), "messages": analysis.PlainAll(s.Said.Members()),
		},
	}
}

// subject returns the key's subject, with the user agent if there is only one, and the node
// if the user is one.
func (s *State) subject(p *analysis.Pass) analysis.Subject {
	subject := p.Key.Subject()
	if agents := s.Agents.Members(); len(agents) == 1 && s.Agents.Exact() {
		subject.UserAgent = agents[0]
	}
	subject.Node = strings.TrimPrefix(subject.User, audit.NodePrefix)
	if subject.Node == subject.User {
		subject.Node = ""
	}
	if subject == (analysis.Subject{}) {
		subject.Name = "/" // no name, no program, no address
	}
	return subject
}

// marks returns a mark for each minute with refusals.
func (s *State) marks() []analysis.Mark {
	var all []analysis.Mark
	for step, m := range s.Minutes.All() {
		if n := m.refusals(); n > 0 {
			all = append(all, analysis.Mark{Kind: "refused", From: max(step.From, s.Span.First), To: min(step.To, max(s.Span.Last, step.From)), N: int(n)})
		}
	}
	return analysis.Coarsen(all)
}
