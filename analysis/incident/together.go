package incident

import (
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// slack is how far apart the windows of two findings may lie that share a
// cause: what a client notices and does about it takes it some seconds, and
// leases and grace periods run out after 10 to 50 of them.
const slack = time.Minute

// together fits a finding whose window overlaps that of a root, within slack.
func together(roots []*analysis.Finding, f *analysis.Finding) fit {
	for _, root := range roots {
		if f.First.Sub(root.Last) <= slack && root.First.Sub(f.Last) <= slack {
			return fit{n: 1, of: 1}
		}
	}
	return fit{of: 1}
}

// lostThen fits a lease that was lost as its holder's connections were: by an API
// server's restart, or since it was renewed no more from about then on.
func lostThen(roots []*analysis.Finding, f *analysis.Finding) fit {
	fits := together(roots, f)
	if !detailIs("cause", "api-restart")(f) && !slices.ContainsFunc(roots, func(root *analysis.Finding) bool { return root.First.Sub(f.First) <= slack }) {
		fits.n = 0
	}
	return fits
}

// cutAtStart fits sessions that an API server's restart cut, if it started again
// during a root, within slack.
func cutAtStart(roots []*analysis.Finding, f *analysis.Finding) fit {
	for _, text := range texts(f.Details["restarts"]) {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			continue
		}
		start := audit.TimeOf(at)
		for _, root := range roots {
			if start.Sub(root.Last) <= slack && root.First.Sub(start) <= slack {
				return fit{n: 1, of: 1}
			}
		}
	}
	return fit{of: 1}
}

// Sessions that were cut by one thing end within cutWithin of one another: a
// reset comes to all of them at once. Of those that were open when nodes fell
// silent at least manyEnds, and half, must: people end theirs one by one.
const (
	cutWithin = 2 * time.Second
	manyEnds  = 3
)

// endedTogether fits a finding of which a session ended together with others,
// of any of the findings at a root's address, when its nodes fell silent or
// returned.
func endedTogether(all []*analysis.Finding) func([]*analysis.Finding, *analysis.Finding) fit {
	return func(roots []*analysis.Finding, f *analysis.Finding) fit {
		for _, root := range roots {
			var ends []audit.Time
			for _, other := range all {
				if sameAddress(root, other) {
					ends = append(ends, endsDuring(root, other)...)
				}
			}
			slices.Sort(ends)
			for _, end := range endsDuring(root, f) {
				if most := mostWithin(ends, end); most >= manyEnds && 2*most >= len(ends) {
					return fit{n: 1, of: 1}
				}
			}
		}
		return fit{of: 1}
	}
}

// endsDuring returns when sessions ended that were open when the last of the
// root's nodes fell silent.
func endsDuring(root, f *analysis.Finding) (ends []audit.Time) {
	cut := root.First
	for _, gap := range marks(root, "gap") {
		cut = max(cut, gap.From)
	}
	for _, m := range marks(f, "session") {
		if m.N == 1 && m.From <= cut && cut <= m.To && m.To.Sub(root.Last) <= slack {
			ends = append(ends, m.To)
		}
	}
	return ends
}

// mostWithin returns how many of times, in order, lie within cutWithin of one
// another and of t, at most.
func mostWithin(times []audit.Time, t audit.Time) (most int) {
	for i, first := range times {
		n := 0
		for _, other := range times[i:] {
			if other.Sub(first) <= cutWithin {
				n++
			}
		}
		if first <= t && t.Sub(first) <= cutWithin {
			most = max(most, n)
		}
	}
	return most
}

// anyone is akin to a root that hurts whoever is there.
func anyone(_, _ *analysis.Finding) bool { return true }

// another reports whether f is about another client than the root: whom it
// hurts, not what it does.
func another(root, f *analysis.Finding) bool {
	return root.Subject.User != f.Subject.User
}

// sameAddress reports whether two findings are about clients at one address.
func sameAddress(root, f *analysis.Finding) bool {
	return f.Subject.SourceIP != "" && root.Subject.SourceIP == f.Subject.SourceIP
}

// detailIs reports whether a finding has one of these values under name.
func detailIs(name string, values ...string) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool { return slices.Contains(values, f.Details.Text(name)) }
}

// detailAtLeast reports whether a finding has at least so many under name.
func detailAtLeast(name string, n int) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool { return f.Details.Int(name) >= n }
}

// storm reports whether many clients began anew together, with or without a sign
// that their API server stopped or started. Without one it must have hit most of
// them: some may have been moved, as to a server that has returned.
func storm(restart bool) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool {
		signs := f.Details["restart"] == true || f.Details["stopped"] == true
		return f.Details.Text("kind") == "storm" && signs == restart && (signs || serious(f))
	}
}

// serious leaves out what is for information only.
func serious(f *analysis.Finding) bool { return f.Severity.Rank() > analysis.Info.Rank() }

// togetherWords are the words of stories that are told by what happened at
// once.
func togetherWords(s *story) []string {
	root := s.roots[0]
	return []string{
		"{client}", client(root),
		"{ip}", root.Subject.SourceIP,
		"{nodes}", strconv.Itoa(root.Count),
		"{clients}", strconv.Itoa(root.Details.Int("clients")),
		"{at}", root.First.Std().Format("15:04:05") + " UTC",
		"{root}", root.Title,
		"{effects}", kinds(s.effects),
		"{meanwhile}", meanwhile(s),
		"{others}", others(s),
	}
}

// meanwhile ends a cause with what else happened, if anything did.
func meanwhile(s *story) string {
	if len(s.effects) == 0 {
		return ""
	}
	return " In the same minutes: " + kinds(s.effects) + "."
}

// others are whom else the cause hit, if anybody.
func others(s *story) string {
	if len(s.effects) == 0 {
		return ""
	}
	return " and others"
}

// kinds names the analyzers that found the effects, each with how many.
func kinds(effects []*analysis.Finding) string {
	var names []string
	count := map[string]int{}
	for _, f := range effects {
		if count[f.Analyzer]++; count[f.Analyzer] == 1 {
			names = append(names, f.Analyzer)
		}
	}
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += name + " (" + strconv.Itoa(count[name]) + ")"
	}
	return text
}

// togetherTimeline tells when the cause and the first of its effects were seen.
func togetherTimeline(s *story) []Event {
	events := []Event{{s.roots[0].First, s.roots[0].Title}}
	for _, f := range s.effects {
		if len(events) == maxTimeline {
			break
		}
		events = append(events, Event{f.First, f.Title})
	}
	return events
}
