package incident

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// slack is how far apart the times of two findings with one cause may lie: clients
// take some seconds to notice a fault, and leases and grace periods run out after
// 10 to 50 seconds.
const slack = time.Minute

// together fits a finding that lies within slack of a root in time, or overlaps it.
func together(roots []*analysis.Finding, f *analysis.Finding) fit {
	return togetherIf(roots, f, func(*analysis.Finding) bool { return true })
}

// togetherIf is together with those of the roots that suit the finding.
func togetherIf(roots []*analysis.Finding, f *analysis.Finding, suits func(root *analysis.Finding) bool) fit {
	for _, root := range roots {
		if f.First.Sub(root.Last) <= slack && root.First.Sub(f.Last) <= slack && suits(root) {
			return fit{n: 1, of: 1}
		}
	}
	return fit{of: 1}
}

// togetherLikely is together, of findings of which nothing but the time tells that they
// are about the same.
func togetherLikely(roots []*analysis.Finding, f *analysis.Finding) fit {
	fits := together(roots, f)
	fits.coarse = true
	return fits
}

// lostThen fits a lease that was lost together with its holder's connection: because of
// an API server's restart, or because its last renewal was at about that time.
func lostThen(roots []*analysis.Finding, f *analysis.Finding) fit {
	return togetherIf(roots, f, func(root *analysis.Finding) bool {
		return detailIs("cause", "api-restart")(f) || root.First.Sub(f.First) <= slack
	})
}

// heardBefore is how long before clients start over the nodes that went away with them may
// be heard again: some return at once, and others' connections end one after the other.
const heardBefore = 5 * time.Second

// silentThen fits nodes that were silent when a root began, or fell silent soon after. Those
// that were heard again before it had lost something else.
func silentThen(roots []*analysis.Finding, f *analysis.Finding) fit {
	return togetherIf(roots, f, func(root *analysis.Finding) bool { return root.First.Sub(f.Last) <= heardBefore })
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

// Sessions that were cut by one thing end within cutWithin of one another, since a reset
// comes to all of them at once; people end theirs one by one. At least manyEnds sessions,
// and half of those that were open when nodes fell silent, must end so.
const (
	cutWithin = 2 * time.Second
	manyEnds  = 3
)

// endedTogether fits a finding with a session that ended together with others at the
// root's address, of any of all findings, when the root's nodes were silent or returned.
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

// endsDuring returns the ends of those sessions of f that were open when the last of
// the root's nodes fell silent.
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

// mostWithin returns the size of the largest group of times, t among them, that lie
// within cutWithin of one another. The times must be in order.
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

// togetherWords returns the words of stories about things that happened at once.
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
		"{away}", away(root),
		"{meanwhile}", meanwhile(s),
		"{others}", others(s),
	}
}

// away is a sentence, with a space before it, of when the log of an API server that went
// away has nothing; "" if that is not known.
func away(storm *analysis.Finding) string {
	from, err1 := time.Parse(time.RFC3339Nano, storm.Details.Text("awayFrom"))
	to, err2 := time.Parse(time.RFC3339Nano, storm.Details.Text("awayTo"))
	if err1 != nil || err2 != nil {
		return ""
	}
	return fmt.Sprintf(" The server that went away wrote its last line at %s, and started at %s.", from.UTC().Format(time.TimeOnly), to.UTC().Format(time.TimeOnly))
}

// meanwhile is a sentence, with a space before it, of what else happened; "" if nothing
// did.
func meanwhile(s *story) string {
	if len(s.effects) == 0 {
		return ""
	}
	return " In the same minutes: " + kinds(s.effects) + "."
}

// others ends a title if the cause hit others too.
func others(s *story) string {
	if len(s.effects) == 0 {
		return ""
	}
	return " and others"
}

// kinds lists the analyzers that found the effects, each with its number of findings.
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
