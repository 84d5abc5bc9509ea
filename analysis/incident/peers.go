package incident

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// always fits a finding that is akin to any root: what they say makes them one
// story.
func always(roots []*analysis.Finding, _ *analysis.Finding) fit {
	return fit{n: min(1, len(roots)), of: 1}
}

// sameUser reports whether two findings are about one user with one program.
func sameUser(root, f *analysis.Finding) bool {
	return root.Subject.User == f.Subject.User && root.Subject.UserAgent == f.Subject.UserAgent
}

// pressedBy reports whether others were refused while the root's user made the
// load.
func pressedBy(root, f *analysis.Finding) bool {
	return another(root, f) && f.Details.Text("pressure") == root.Details.Text("pressure")
}

// pressedByRoot reports whether anybody was refused, the root's user among them,
// while that user made the load.
func pressedByRoot(root, f *analysis.Finding) bool {
	return root.Subject.User != "" && f.Details.Text("pressure") == analysis.Plain(root.Subject.User)
}

// victims names whom a finding is about: a user, or several.
func victims(f *analysis.Finding) string {
	if f.Subject.User != "" {
		return f.Subject.User
	}
	return strings.Join(texts(f.Details["clients"]), ", ")
}

// presses reports whether the finding's client made the load itself that it was
// refused under.
func presses(f *analysis.Finding) bool {
	return f.Subject.User != "" && f.Details.Text("pressure") == analysis.Plain(f.Subject.User)
}

// pressureWords are peerWords with who made the load that a client was refused
// under: often the client itself, which is called by one name then.
func pressureWords(s *story) []string {
	root := s.roots[0]
	if !presses(root) {
		pressure := root.Details.Text("pressure")
		return append(peerWords(s), "{whose}", "made by "+pressure, "{presser}", pressure)
	}
	who := client(root)
	if user := root.Subject.User; !strings.HasPrefix(who, user) {
		who += ", " + analysis.Plain(user) + ","
	}
	return append([]string{"{client}", who}, append(peerWords(s), "{whose}", "its own", "{presser}", client(root))...)
}

// sameClient reports whether two findings are about one client.
func sameClient(root, f *analysis.Finding) bool {
	return sameUser(root, f) && root.Subject.SourceIP == f.Subject.SourceIP
}

// sameReader reports whether two findings are about one client, or about one program
// that watches the same.
func sameReader(root, f *analysis.Finding) bool { return sameClient(root, f) || sameProgram(root, f) }

// sameProgram reports whether two clients of one program watch the same.
func sameProgram(root, f *analysis.Finding) bool {
	return root.Subject.UserAgent != "" && root.Subject.UserAgent == f.Subject.UserAgent && sameResource(root, f)
}

// sameResource reports whether the findings of two clients are about one resource.
func sameResource(root, f *analysis.Finding) bool {
	r, s := root.Subject, f.Subject
	return r.Resource != "" && r.Resource == s.Resource && r.APIGroup == s.APIGroup && (r.User != s.User || r.SourceIP != s.SourceIP)
}

// ofResource reports whether requests for a resource failed as those of storage do.
func ofResource(f *analysis.Finding) bool { return storageFailed(f) && f.Subject.Resource != "" }

// clients names who findings are about: one client; or, of several, their program
// and how many they are.
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

// unpressed reports whether clients were refused although nobody made the load.
func unpressed(f *analysis.Finding) bool {
	return serious(f) && f.Details.Int("refused") > 0 && f.Details.Text("pressure") == ""
}

// sameDeleter reports whether one client deleted both objects. A user agent is
// missing where there were several.
func sameDeleter(root, f *analysis.Finding) bool {
	return root.Subject.User != "" && root.Subject.User == f.Subject.User && root.Subject.SourceIP == f.Subject.SourceIP
}

// sameScope reports whether one client watched the same in both findings.
func sameScope(root, f *analysis.Finding) bool {
	r, s := root.Subject, f.Subject
	return sameClient(root, f) && r.APIGroup == s.APIGroup && r.Resource == s.Resource && r.Namespace == s.Namespace && r.Name == s.Name
}

// sameLength reports whether the sessions of two findings were cut at one
// length, within a twentieth: what cuts them looks at its clock now and then.
func sameLength(root, f *analysis.Finding) bool {
	a, b := root.Details.Float("cutAtSeconds"), f.Details.Float("cutAtSeconds")
	return math.Abs(a-b) <= max(1, max(a, b)/20)
}

// peerTimeline tells of all findings of a story, the first ones first.
func peerTimeline(s *story) []Event {
	var events []Event
	for _, f := range slices.Concat(s.roots, s.effects) {
		events = append(events, Event{f.First, f.Title})
	}
	return events
}

// peerWords are the words of stories about one client and all that it did, or
// about one trouble and all whom it hit.
func peerWords(s *story) []string {
	root := s.roots[0]
	all := ordered(slices.Concat(s.roots, s.effects))
	length := time.Duration(root.Details.Float("cutAtSeconds") * float64(time.Second))
	return []string{
		"{client}", client(root),
		"{members}", clients(all),
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

// list names what findings have in common with none before them: the first
// few.
func list(findings []*analysis.Finding, of func(*analysis.Finding) string) string {
	const most = 5
	var names []string
	for _, f := range findings {
		if name := analysis.Plain(of(f)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	more := len(names) - most
	if more <= 0 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
}
