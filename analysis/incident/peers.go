package incident

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// always fits a finding that is akin to any root, whenever it was.
func always(roots []*analysis.Finding, _ *analysis.Finding) fit {
	return fit{n: min(1, len(roots)), of: 1}
}

// victims names whom a finding is about: a user, or several.
func victims(f *analysis.Finding) string {
	if f.Subject.User != "" {
		return f.Subject.User
	}
	return strings.Join(texts(f.Details["clients"]), ", ")
}

// pressureWords returns peerWords, and words for who made the load that a client was
// refused under. If that is the client itself, it is called by one name.
func pressureWords(s *story) []string {
	root := s.roots[0]
	if !pressesItself(root) {
		pressure := root.Details.Text("pressure")
		return append(peerWords(s), "{whose}", "made by "+pressure, "{presser}", pressure)
	}
	who := client(root)
	if user := root.Subject.User; !strings.HasPrefix(who, user) {
		who += ", " + analysis.Plain(user) + ","
	}
	return append([]string{"{client}", who}, append(peerWords(s), "{whose}", "its own", "{presser}", client(root))...)
}

// clients names whom findings are about: one client, or how many clients, of which
// program if it is one.
func clients(findings []*analysis.Finding) string {
	users, ips, agents := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range findings {
		users[f.Subject.User], ips[f.Subject.SourceIP], agents[f.Subject.UserAgent] = true, true, true
	}
	program, _, _ := strings.Cut(findings[0].Subject.UserAgent, "/")
	switch n := max(len(users), len(ips)); {
	case n == 1 && len(agents) == 1:
		return client(findings[0])
	case len(agents) > 1 || program == "":
		return fmt.Sprintf("%d clients", max(n, len(agents)))
	default:
		return fmt.Sprintf("%d clients of %s", n, program)
	}
}

// peerTimeline tells when each finding of a story began.
func peerTimeline(s *story) []Event {
	var events []Event
	for _, f := range slices.Concat(s.roots, s.effects) {
		events = append(events, Event{f.First, f.Title})
	}
	return events
}

// peerWords returns the words of stories about one client and all that it did, or about
// one trouble and all whom it hit.
func peerWords(s *story) []string {
	root := s.roots[0]
	all := ordered(slices.Concat(s.roots, s.effects))
	length := time.Duration(root.Details.Float("cutAtSeconds") * float64(time.Second))
	return []string{
		"{client}", client(root),
		"{members}", clients(all),
		"{node}", analysis.Plain(root.Subject.Node),
		"{at}", root.First.Std().Format("15:04:05") + " UTC",
		"{root}", root.Title,
		"{what}", cmp.Or(list(all, what), "several resources"),
		"{objects}", list(all, func(f *analysis.Finding) string { return f.Subject.Namespace + "/" + f.Subject.Name }),
		"{users}", list(all, func(f *analysis.Finding) string { return cmp.Or(f.Subject.User, f.Subject.SourceIP) }),
		"{length}", length.Round(time.Second).String(),
		"{pressure}", root.Details.Text("pressure"),
		"{others}", list(s.effects, victims),
	}
}

// what names what a finding is about: a resource with its subresource, and a
// namespace.
func what(f *analysis.Finding) string {
	s := f.Subject
	if f.Analyzer == "hijacked-latency" && s.Subresource != "" {
		return s.Subresource
	}
	name := s.Resource
	if s.APIGroup != "" {
		name += "." + s.APIGroup
	}
	if s.Subresource != "" {
		name += "/" + s.Subresource
	}
	return name
}

// list names, each name once, what findings have under of: the first few in order, and
// how many more.
func list(findings []*analysis.Finding, of func(*analysis.Finding) string) string {
	var names []string
	for _, f := range findings {
		if name := analysis.Plain(of(f)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return analysis.FirstOf(5, names)
}
