package authfailure

import (
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// fills reports whether a part of the log is shorter than the window, so that a burst need
// not fit into it, and the refusals go on for four fifths of it.
func (s *State) fills(part tally.Span, window time.Duration) bool {
	return part.Len() < window && 5*s.Span.Len() >= 4*part.Len()
}

// expired reports whether a credential seems to have expired shortly before the log ends:
// a program at this address was authenticated before its first failure, and not again up
// to the log's end. Failures must go on for longer than it takes to read a token again,
// and the rest of the log must be too short for a burst.
func (s *State) expired(p *analysis.Pass, window time.Duration) bool {
	chosen := p.Facts.Chosen()
	if s.Span.Len() <= time.Minute || !s.fills(tally.Span{First: s.Span.First, Last: chosen.Last}, window) {
		return false
	}
	later := s.Span.First.Add(time.Minute)
	before, _ := s.users(p, func(heard tally.Span) bool { return heard.First < s.Span.First })
	since, sure := s.users(p, func(heard tally.Span) bool { return heard.Last >= later })
	return len(before) > 0 && len(since) == 0 && sure
}

// users returns, in order, as whom the same programs at the same address were
// authenticated at such a time, and whether these are all there were.
func (s *State) users(p *analysis.Pass, when func(heard tally.Span) bool) (users []string, sure bool) {
	all := p.Facts.Clients(func(c analysis.Client, heard tally.Span) {
		user := c.User.String()
		if c.SourceIP == p.Key.SourceIP && user != "" && user != anonymous && when(heard) && s.Agents.Has(c.UserAgent.String()) {
			users = append(users, user)
		}
	})
	slices.Sort(users)
	return slices.Compact(users), all && s.Agents.Exact()
}

// maxUsers is how many users one address and program may have been before: more are
// not one client's, as behind a proxy.
const maxUsers = 4

// knownAs returns as whom the client was authenticated before its first failure, if it
// is known to have had few names.
func (s *State) knownAs(p *analysis.Pass) []string {
	users, sure := s.users(p, func(heard tally.Span) bool { return heard.First < s.Span.First })
	if !sure || len(users) > maxUsers {
		return nil
	}
	return analysis.PlainAll(users)
}

// doubt lowers a warning about what may happen every day.
func (s *State) doubt(p *analysis.Pass, f *analysis.Finding, window time.Duration) {
	one := s.Asked.Exact() && s.Asked.Len() == 1
	switch p.Key.Kind {
	case kindNode:
		f.Confidence = analysis.Likely
		switch {
		case p.Facts.WritesOf(analysis.Scope{Resource: resourcePods}) == 0:
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatNode)
		case !p.Facts.Knows(analysis.Scope{Resource: resourcePods, Namespace: p.Key.Namespace}):
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatNodeMany)
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

// doubtForbidden lowers a warning about a client that is refused only one thing.
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

// said reports whether a text is in what the API server said of a failed authentication:
// that one was attempted, or that there were no credentials. Old servers say neither.
func (s *State) said(text string) bool {
	return slices.ContainsFunc(s.Said.Members(), func(said string) bool { return strings.Contains(said, text) })
}

// leaves returns when the client stopped to ask for what it is refused: at its last refusal,
// if it was refused for a window at least, never made such a write in this log, and, of
// reads, made no request after that. Otherwise it returns the log's end.
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

// comesAndGoes reports whether the client may have come from an API server whose log was
// not read, or gone to one, so that the beginning and end of its refusals mean nothing. It
// must be refused evenly, for a window at least. If it is refused a write, it must never
// have made such a write; if a read, it must have made no requests before and after.
func (s *State) comesAndGoes(p *analysis.Pass, window time.Duration) bool {
	if !p.Facts.Partial() || s.Span.Len() < window || !s.steady(p, s.Span, window) {
		return false
	}
	wrote, known := s.wrote(p)
	return known && !wrote || !known && s.arrived(p) && !s.goesOn(p)
}

// goesOn reports whether the client made, or may have made, requests later than a minute
// after its last refusal.
func (s *State) goesOn(p *analysis.Pass) bool {
	heard, known := p.Facts.ClientSpan(p.Key.Client())
	return !known || heard.Last >= s.Span.Last.Add(time.Minute)
}

// wrote reports whether the user ever made a write of the kind that was refused. If not, it
// neither lost the permission nor got it in this log. It is not known of reads, or if there
// are too many writers.
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

// arrived reports whether the client made no requests up to a minute before its first
// refusal.
func (s *State) arrived(p *analysis.Pass) bool {
	heard, known := p.Facts.ClientSpan(p.Key.Client())
	return known && heard.First > s.Span.First.Add(-time.Minute)
}

// justCreated reports whether one write of a pod in the namespace, or more, came with every
// four refusals. Then they are no trouble: the API server learns a little later than the
// node which pods are the node's, and the node asks again.
func (s *State) justCreated(p *analysis.Pass, all int64) bool {
	const before = 60e6 // microseconds: the longest time after which a kubelet asks again
	pods := analysis.Scope{Resource: resourcePods, Namespace: p.Key.Namespace}
	from, to := s.Span.First-before, s.Span.Last
	changes := p.Facts.ChangesWithin(pods, from, to) + p.Facts.UpdatesWithin(pods, from, to)
	return changes > 0 && 4*int64(changes) >= all
}

// steady reports whether the refusals go on evenly through a part of the log. If that is all
// of it, or all from --since to --until, nothing changed when they began. It is false if
// the part is shorter than half a minute, or if refusals are a quarter of all events: such
// a log is an excerpt.
func (s *State) steady(p *analysis.Pass, part tally.Span, window time.Duration) bool {
	all, most := s.count(p.Facts.AllStarts(), window)
	span := part.Len()
	if span < time.Minute/2 || p.Facts.Events < 4*all || 5*s.Span.Len() < 4*span {
		return false
	}
	windows := max(1, float64(span)/float64(max(1, window)))
	return float64(most) <= 3*float64(all)/windows
}
