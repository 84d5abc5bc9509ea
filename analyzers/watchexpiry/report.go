package watchexpiry

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Report tells of watches that expired too often and of lists at one version,
// and, for group to join, of a list in a storm.
func (s *State) Report(p *analysis.Pass) {
	s.reportExpired(p)
	s.reportLists(p)
	s.reportStormy(p)
}

// fewest is how many expired watches are worth a word at all: one or two are
// everyday life.
const fewest = 3

func (s *State) reportExpired(p *analysis.Pass) {
	var sum Ends
	for _, e := range s.Ends.All() {
		sum = sum.Plus(*e)
	}
	most := s.most(p.Duration(optWindow))
	if int(sum.Expired) < fewest || most < fewest && 4*sum.Expired < s.Ended {
		return
	}
	relists := s.relists(p.Duration(optRelist))
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: confidence(&sum, relists),
		Count: int(sum.Expired), First: sum.At.First, Last: sum.At.Last,
		Details: analysis.Details{
			"kind": "expired", "expired": int(sum.Expired), "gone": int(sum.Gone), "relists": relists,
			"watches": int(s.Ended), "mostInWindow": most,
		},
	}
	// One that is told 410 each time, and never lists, does not get out by itself.
	lost := sum.Gone == s.Ended && relists == 0 && 2*int(sum.Gone) >= p.Int(optExpired)
	if most >= max(2, p.Int(optExpired)) || lost {
		f.Severity = analysis.Warning
		f.Confidence = surer(f.Confidence, analysis.Likely)
	}
	f.Title = fmt.Sprintf("%d of %d watches of %s on %s ended at once", sum.Expired, s.Ended, p.Key.Client().Text(), p.Key.ScopeText())
	if sum.Gone > 0 {
		f.Title += fmt.Sprintf(", %d of them with 410 Gone", sum.Gone)
	}
	if relists > 0 {
		f.Title += fmt.Sprintf(", and it listed again %s", analysis.Times(relists))
	} else {
		f.Title += ", and it never listed again"
	}
	if sum.Oldest > 0 {
		f.Details["oldestVersion"] = fmt.Sprint(sum.Oldest)
	}
	if sum.Gone == 0 {
		f.Caveats = append(f.Caveats, "an audit log does not show a 410 inside a stream: anything else that ends watches at once looks the same")
	}
	f.Marks, f.Evidence = s.expired(p)
	p.Report(f)
}

// confidence says how sure it is that versions expired: the server said so, or
// the client listed after most of the watches that ended at once.
func confidence(sum *Ends, relists int) analysis.Confidence {
	switch {
	case sum.Gone > 0:
		return analysis.Confirmed
	case 2*int64(relists) >= sum.Expired:
		return analysis.Likely
	}
	return analysis.Possible
}

func surer(a, b analysis.Confidence) analysis.Confidence {
	if a.Rank() > b.Rank() {
		return a
	}
	return b
}

// most returns how many watches expired within the window at most: at least so
// many, where steps are longer than that.
func (s *State) most(window time.Duration) int {
	window = max(window, time.Microsecond)
	var most, sum int64
	list := s.Ends.List
	first := 0
	for i := range list {
		e := &list[i].Value
		if e.Expired == 0 {
			continue
		}
		if span := e.At.Len(); span > window { // in the fullest of so many windows
			windows := int64(span/window) + 1
			most = max(most, (e.Expired+windows-1)/windows)
			first, sum = i+1, 0
			continue
		}
		sum += e.Expired
		for e.At.Last.Sub(list[first].Value.At.First) > window || list[first].Value.Expired == 0 {
			sum -= list[first].Value.Expired
			first++
		}
		most = max(most, sum)
	}
	return int(most)
}

// relists returns after how many of the watches that expired the client listed.
func (s *State) relists(within time.Duration) int {
	var relists int64
	lists := s.Lists.List
	left := int64(0) // of the list cell in hand
	next := -1
	for _, e := range s.Ends.All() {
		want := e.Expired
		for want > 0 {
			for left == 0 || lists[next].Value.At.Last < e.At.First {
				if next++; next == len(lists) {
					return int(relists)
				}
				left = lists[next].Value.N
			}
			if lists[next].Value.At.First.Sub(e.At.Last) > within {
				break
			}
			n := min(want, left)
			relists, want, left = relists+n, want-n, left-n
		}
	}
	return int(relists)
}

// expired returns a mark for each watch that expired, and the first and last
// of them with the list that follows the first.
func (s *State) expired(p *analysis.Pass) ([]analysis.Mark, []analysis.Evidence) {
	var marks []analysis.Mark
	var lines []audit.Ref
	for _, e := range s.Ends.All() {
		if e.Expired == 0 {
			continue
		}
		marks = append(marks, analysis.Mark{Kind: "expired", From: e.At.First, To: e.At.Last, N: int(e.Expired)})
		lines = append(lines, e.First.ref(&p.Key, audit.VerbWatch))
	}
	first := marks[0].From
	for _, l := range s.Lists.All() {
		if l.First.Line.Time >= first {
			lines = append(ends(lines, 3), l.ref(&p.Key))
			break
		}
	}
	return analysis.Coarsen(marks), analysis.Cite(ends(lines, 4)...)
}

// ends returns the first and the last n of refs.
func ends(refs []audit.Ref, n int) []audit.Ref {
	if len(refs) <= 2*n {
		return refs
	}
	return append(refs[:n:n], refs[len(refs)-n:]...)
}

// within reports whether a span meets [from, to].
func within(s tally.Span, from, to audit.Time) bool {
	return !s.Empty() && s.First <= to && from <= s.Last
}
