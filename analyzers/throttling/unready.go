package throttling

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// kindUnready is of requests that were refused since the API server had not read
// a resource into its watch cache. No load causes that, and no seats end it.
const kindUnready = "unready"

// symUnready is the kind of the states that hold them.
var symUnready = audit.Intern(kindUnready)

// saysUnready begins the message of such a refusal (apiserver
// pkg/storage/cacher/cacher.go).
var saysUnready = []byte("storage is (re)initializing")

func unready(e *audit.Event) bool { return e.Code == 429 && bytes.HasPrefix(e.Message, saysUnready) }

const (
	// unreadyPause is the longest time between refusals of one spell: client-go waits
	// for 30 s at most, and jitter doubles that.
	unreadyPause = 2 * time.Minute

	// unreadyLong is longer than a cache takes to be filled: seconds, at most a time-out
	// of a large list.
	unreadyLong = time.Minute
)

// reportUnready reports that a resource could not be listed or watched. It is a
// warning if that did not end soon.
func (s *State) reportUnready(p *analysis.Pass) {
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Subject: s.subject(p),
		Count: int(s.Refused.N), First: s.Span.First, Last: s.Span.Last,
		Marks: s.marks(), Evidence: analysis.Cite(s.lines()...),
	}
	lasted := ""
	if longest := s.longest(); longest >= unreadyLong && enough(p, s.Refused.N) {
		f.Severity = analysis.Warning
		lasted = " for " + longest.Round(time.Second).String()
	}
	users := map[string]bool{}
	for _, user := range s.Users.Members() {
		users[analysis.Plain(user)] = true
	}
	f.Details = unreadyDetails(f.Count, users)
	f.Title = fmt.Sprintf("the API server had not read %s into its watch cache%s: requests for it were refused %s (429)",
		what(p), lasted, analysis.Times(f.Count))
	p.Report(f)
}

func unreadyDetails(refused int, users map[string]bool) analysis.Details {
	names := slices.Sorted(maps.Keys(users))
	return analysis.Details{"kind": kindUnready, "refused": refused, "clients": names[:min(len(names), maxClients)]}
}

// longest returns how long the longest spell of refusals lasted.
func (s *State) longest() (most time.Duration) {
	from := s.Span.First
	for _, gap := range s.Unready.Gaps(unreadyPause) {
		most = max(most, gap.From.Sub(from))
		from = gap.To
	}
	return max(most, s.Span.Last.Sub(from))
}

// joinUnready makes one finding of those for information about resources that were
// not ready at one time: of an API server that starts, or of types that were just
// installed.
func joinUnready(findings []analysis.Finding) []analysis.Finding {
	var brief, all []analysis.Finding
	for _, f := range findings {
		if f.Severity == analysis.Info && f.Details.Text("kind") == kindUnready {
			brief = append(brief, f)
		} else {
			all = append(all, f)
		}
	}
	if len(brief) < 2 {
		return findings
	}
	for _, members := range analysis.AtOneTime(brief) {
		if len(members) > 1 {
			members = []analysis.Finding{joinedUnready(members)}
		}
		all = append(all, members...)
	}
	analysis.SortFindings(all)
	return all
}

func joinedUnready(members []analysis.Finding) analysis.Finding {
	users := map[string]bool{}
	for i := range members {
		names, _ := members[i].Details["clients"].([]string)
		for _, name := range names {
			users[name] = true
		}
	}
	f, _ := joined(members)
	f.Details = unreadyDetails(f.Count, users)
	f.Title = fmt.Sprintf("the API server had not read %d resources into its watch cache: requests for them were refused %s (429)",
		len(members), analysis.Times(f.Count))
	return f
}
