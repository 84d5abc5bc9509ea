package heartbeatgap

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// The kinds of marks, beside patternElsewhere: what was heard elsewhere is no
// silence of the node.
const (
	markGap     = "gap"     // a silence
	markFailing = "failing" // beats that came to nothing
	markHeard   = "heard"   // signs of life, without a pause as long as a silence
	markStatus  = "status"  // the node-controller wrote the node's status
)

// detailHeard is when a node was heard: what states tell group.
const detailHeard = "heard"

// maxPauses is how many pauses of a node are kept, and heardNodes of how many
// nodes a finding tells when they were heard: of the first ones, since more lanes
// than these tell nothing that they don't.
const (
	maxPauses  = 15
	heardNodes = 12
)

// A heard node gave signs of life from the first to the last, but for pauses.
type heard struct {
	span   tally.Interval
	pauses []tally.Interval // the longest ones, longest first
}

// hears returns when the node was heard. A pause is what would be a silence, if
// somebody had missed the node.
func (s *State) hears(enough lengths) heard {
	first, last, ok := s.Edges.Ends()
	if !ok {
		return heard{}
	}
	step := s.Cover.Step()
	return newHeard(tally.Interval{From: first.Began(), To: last.Began()}, s.Cover.Gaps(max(step, enough.missed-2*step)))
}

func newHeard(span tally.Interval, pauses []tally.Interval) heard {
	slices.SortFunc(pauses, func(a, b tally.Interval) int {
		return cmp.Or(cmp.Compare(b.Len(), a.Len()), cmp.Compare(a.From, b.From))
	})
	return heard{span, pauses[:min(len(pauses), maxPauses)]}
}

// marks returns at most so many marks of when the node was heard, none of which
// touches a silence. Too short a pause is none, where there are too many.
func (h heard) marks(node string, most int, silences ...tally.Interval) (marks []analysis.Mark) {
	pauses := h.pauses[:max(0, min(len(h.pauses), most-1-len(silences)))]
	quiet := slices.Concat(pauses, silences)
	slices.SortFunc(quiet, func(a, b tally.Interval) int { return cmp.Compare(a.From, b.From) })
	from := h.span.From
	add := func(to audit.Time) {
		if to > from {
			marks = append(marks, analysis.Mark{Kind: markHeard, From: from, To: to, N: 1, Label: node})
		}
	}
	for _, q := range quiet {
		add(q.From)
		from = max(from, q.To)
	}
	add(h.span.To)
	return marks
}

// heardMarks returns marks of when the first nodes of a row were heard, if there
// is room for all of these beside the marks of their silences.
func heardMarks(row []analysis.Finding, silences []analysis.Mark) (marks []analysis.Mark) {
	var nodes []string
	quiet := map[string][]tally.Interval{}
	for _, m := range silences {
		if quiet[m.Label] == nil && len(nodes) < heardNodes {
			nodes = append(nodes, m.Label)
		}
		quiet[m.Label] = append(quiet[m.Label], tally.Interval{From: m.From, To: m.To})
	}
	each := (analysis.MaxMarks - len(silences)) / max(1, len(nodes))
	for _, node := range nodes {
		i := slices.IndexFunc(row, func(f analysis.Finding) bool { return f.Subject.Node == node })
		if i < 0 || each < 1+len(quiet[node]) {
			return nil // marks of several nodes were joined, or there is no room
		}
		if h, ok := row[i].Details[detailHeard].(heard); ok {
			marks = append(marks, h.marks(node, each, quiet[node]...)...)
		}
	}
	return marks
}

// statusMarks returns the moments at which the node-controller wrote the status
// of a node.
func statusMarks(node string, lines []audit.Ref) (marks []analysis.Mark) {
	for _, line := range lines {
		marks = append(marks, analysis.Mark{Kind: markStatus, From: line.Time, To: line.Time, N: 1, Label: node})
	}
	return marks
}
