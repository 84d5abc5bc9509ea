package watchstall

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A level is how many watches were open after a step.
type level struct {
	step tally.Interval
	n    int
}

// levels adds up a flow. A watch that began before the log counts as well, by its end. When
// an API server starts, watches that began before it count no more, even those of another
// server: one that was killed wrote no ends.
func levels(c *tally.Cells[Flow], starts []audit.Time) []level {
	var all []level
	n := int64(0)
	startBefore := func(t audit.Time) {
		for len(starts) > 0 && starts[0] < t {
			if n > 0 {
				all = append(all, level{tally.Interval{From: starts[0], To: starts[0]}, 0})
			}
			n, starts = 0, starts[1:]
		}
	}
	for step, f := range c.All() {
		startBefore(step.To)
		n = max(0, n+f.up()-f.Down)
		all = append(all, level{step, int(n)})
	}
	startBefore(math.MaxInt64)
	return all
}

// A stretch is a time in which many watches were open: low at least, high at most.
type stretch struct {
	tally.Interval
	low, high int
}

// many says how many watches were open during the stretch.
func (s stretch) many() string {
	if s.low == s.high {
		return fmt.Sprint(s.high)
	}
	return fmt.Sprintf("%d to %d", s.low, s.high)
}

// highest returns the most watches that were open.
func highest(levels []level) int {
	n := 0
	for _, l := range levels {
		n = max(n, l.n)
	}
	return n
}

// A heap is a client's watches for the whole state, of scopes which it never went on to
// watch from a version.
type heap struct {
	open   tally.Cells[Flow]
	refs   []audit.Ref
	key    analysis.Key // of the last scope
	scopes []string     // in words
	ended  tally.Span   // when watches ended

	// The most watches that were open of one scope: least and most over all scopes.
	least, most int
}

// heapOf collects the watches of a client, given by scope.
func heapOf(p *analysis.Pass, rows []tally.Row[Watches]) heap {
	h := heap{key: p.Key, least: math.MaxInt}
	for i := range rows {
		w := &rows[i].Value
		if len(w.First.Refs) == 0 || w.resumed() {
			continue
		}
		n := highest(levels(&w.Open, p.Facts.AllStarts()))
		h.least, h.most = min(h.least, n), max(h.most, n)
		h.ended.Merge(w.EndedAt)
		h.refs = append(h.refs, w.First.Refs...)
		open := clone(&w.Open)
		h.open.Merge(&open)
		h.key = withScope(p.Key, rows[i].Name)
		h.scopes = append(h.scopes, h.key.ScopeText())
	}
	return h
}

// reportPile reports many watches for the whole state that one client had open at once, of
// scopes which it never went on to watch from a version. There must be several of one
// scope, since a program that starts opens one of each.
func reportPile(p *analysis.Pass, rows []tally.Row[Watches]) {
	h := heapOf(p, rows)
	longest, few := longestPile(p, levels(&h.open, p.Facts.AllStarts()), p.Facts.Span.Last)
	if h.most < 2 || longest.Len() == 0 {
		return
	}
	n := longest.high
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Possible, Count: n,
		First: longest.From, Last: longest.To, Subject: p.Key.Subject(),
		Title: fmt.Sprintf("%s watches of %s for the initial state of %s were open at once for %s, and none was resumed",
			longest.many(), p.Key.Client().Text(), analysis.FirstOf(3, h.scopes), longest.Len().Round(time.Second)),
		Details: analysis.Details{
			"kind": "pile", "stalled": 0, "overdueSeconds": 0.0, "open": n, "scopes": len(h.scopes),
		},
		Marks: []analysis.Mark{{Kind: "pile", From: longest.From, To: longest.To, N: n}},
	}
	if len(h.scopes) == 1 {
		f.Subject = h.key.Subject()
	}
	h.weigh(p, &f, few)
	f.Evidence = first(analysis.Cite(h.refs...), 6)
	f.First = min(f.First, f.Evidence[0].Time) // the first of them was open by then
	p.Report(f)
}

// weigh says how bad a pile is and how sure, by how many watches were open and how they
// ended. few is whether it is only half a pile.
func (h *heap) weigh(p *analysis.Pass, f *analysis.Finding, few bool) {
	left := !h.ended.Empty() && p.Facts.Span.Last.Sub(h.ended.First) >= p.Duration(optPileFor)
	switch {
	case few:
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, "so few may be a program that reads the initial state and what follows, and never resumes from a version")
	case len(h.scopes) > 1 && h.least == h.most && (!left || h.ended.Len() < together):
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, fmt.Sprintf("%d programs behind one address that started together and do read look the same", h.most))
	case left:
		f.Confidence = analysis.Likely
	default:
		f.Caveats = append(f.Caveats, "none of them had ended when the log did: programs behind one address that started together and do read look the same")
	}
}

// together is within how long of each other watches end whose connections were cut at
// once. Their readers go on elsewhere, perhaps at an API server whose log was not read.
const together = 5 * time.Second

// fewFor is how many times as long as a pile half a pile must be open.
const fewFor = 10

// longestPile returns the longest stretch of a pile or, with few set, of half a pile that
// was open for longer; an empty one if there is neither.
func longestPile(p *analysis.Pass, levels []level, end audit.Time) (longest stretch, few bool) {
	n, least := p.Int(optPile), p.Duration(optPileFor)
	if longest = pile(levels, n, end); longest.Len() >= least {
		return longest, false
	}
	if longest = pile(levels, (n+1)/2, end); longest.Len() >= fewFor*least {
		return longest, true
	}
	return stretch{}, false
}

// pile returns the longest stretch in which at least n watches were open.
func pile(levels []level, n int, end audit.Time) (longest stretch) {
	var now stretch
	close := func(to audit.Time) {
		if now.To = to; now.From != 0 && now.Len() > longest.Len() {
			longest = now
		}
		now = stretch{}
	}
	for _, l := range levels {
		switch {
		case l.n < n:
			close(l.step.From)
		case now.From == 0:
			now = stretch{Interval: tally.Interval{From: l.step.To}, low: l.n, high: l.n}
		default:
			now.low, now.high = min(now.low, l.n), max(now.high, l.n)
		}
	}
	close(end)
	return longest
}

// clone copies cells, since a merge uses up its argument.
func clone(c *tally.Cells[Flow]) tally.Cells[Flow] {
	copied := *c
	copied.List = append([]tally.Cell[Flow](nil), c.List...)
	return copied
}

// first returns the first n lines, one for each request.
func first(evidence []analysis.Evidence, n int) []analysis.Evidence {
	seen := map[string]bool{}
	evidence = slices.DeleteFunc(evidence, func(e analysis.Evidence) bool {
		again := seen[e.AuditID]
		seen[e.AuditID] = true
		return again
	})
	return evidence[:min(n, len(evidence))]
}
