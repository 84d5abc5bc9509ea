package incident

import (
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// lead is how long before the first request that is known to have failed a node or a
// leader may have been heard last. By default nodes renew their leases every 10 s and
// leaders theirs every 2 to 10 s; other requests may come as much later.
const lead = 20 * time.Second

// texts returns a detail that is a list of strings: a []string as an analyzer made it,
// or a []any as it was read from a report.
func texts(v any) (list []string) {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		for _, one := range v {
			if s, ok := one.(string); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// waits returns the stretches of time in which requests waited in vain. The root's
// marks are where they ended, its details tell how long they took.
func waits(root *analysis.Finding) []analysis.Mark {
	longest := min(root.Details.Float("maxSeconds"), root.Details.Float("timeoutSeconds"))
	took := time.Duration(longest * float64(time.Second))
	ends := marks(root, "timeout")
	for i := range ends {
		ends[i].From, ends[i].To = ends[i].From.Add(-took), max(ends[i].From, ends[i].To)
	}
	return ends
}

// waitsIn returns the waits of the roots that overlap a lapse. A lapse without an end
// goes on.
func waitsIn(roots []*analysis.Finding, lapse analysis.Mark) (in []analysis.Mark) {
	for _, root := range roots {
		for _, w := range waits(root) {
			if lapse.From <= w.To && (lapse.To == 0 || w.From <= lapse.To) {
				in = append(in, w)
			}
		}
	}
	return in
}

// duringWaits fits a finding if one of its lapses, which are marks of these kinds,
// overlaps a wait of a root.
func duringWaits(kinds ...string) func([]*analysis.Finding, *analysis.Finding) fit {
	return func(roots []*analysis.Finding, f *analysis.Finding) fit {
		if slices.ContainsFunc(marks(f, kinds...), func(lapse analysis.Mark) bool { return len(waitsIn(roots, lapse)) > 0 }) {
			return fit{n: 1, of: 1}
		}
		return fit{of: 1}
	}
}

// notBefore reports whether a lapse of f began no earlier than lead before the
// first of the waits in it.
func notBefore(kinds ...string) func([]*analysis.Finding, *analysis.Finding) bool {
	return func(roots []*analysis.Finding, f *analysis.Finding) bool {
		return slices.ContainsFunc(marks(f, kinds...), func(lapse analysis.Mark) bool {
			return slices.ContainsFunc(waitsIn(roots, lapse), func(w analysis.Mark) bool { return w.From <= lapse.From.Add(lead) })
		})
	}
}

// lossOf says in a few words what storage that is away did to those whom f is about; "" of
// other failures.
func lossOf(f *analysis.Finding) string {
	switch {
	case f.Analyzer == "lease-lost":
		return "leaders lost their leases"
	case f.Details["failing"] == true:
		return "heartbeats of nodes failed"
	case f.Analyzer == "heartbeat-gap":
		return "no node sent a heartbeat"
	}
	return ""
}

// leadersOf says, in a sentence with a space before it, what becomes of those who lost
// their leases; "" if nobody did.
func leadersOf(effects []*analysis.Finding) string {
	lost, gone := false, []string(nil)
	for _, f := range effects {
		if f.Analyzer != "lease-lost" {
			continue
		}
		if lost = true; f.Details.Text("kind") == "stopped" {
			gone = append(gone, analysis.Plain(f.Subject.Namespace+"/"+f.Subject.Name))
		}
	}
	switch {
	case len(gone) > 0:
		return " Nobody held these leases when the log ended: " + strings.Join(gone, ", ") + ". Make sure that their holders are started again."
	case lost:
		return " Controllers that lost their leases restart by themselves."
	}
	return ""
}

// storageWords returns the words of stories about writes that failed: togetherWords, and
// what became of leaders and nodes.
func storageWords(s *story) []string {
	var lost []string
	for _, f := range s.effects {
		if text := lossOf(f); text != "" && !slices.Contains(lost, text) {
			lost = append(lost, text)
		}
	}
	first := began(s.roots[0])
	for _, root := range s.roots {
		first = min(first, began(root))
	}
	return append([]string{
		"{at}", first.Std().Format("15:04:05") + " UTC",
		"{lost}", strings.Join(lost, " and "),
		"{leaders}", leadersOf(s.effects),
	}, togetherWords(s)...)
}
