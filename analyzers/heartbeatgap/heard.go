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

// toldPauses is how many pauses of a node are told, and heardNodes of how many
// nodes a finding tells when they were heard: of the first ones, since more lanes
// than these tell nothing that they don't.
const (
	toldPauses = 15
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
	first, last, ok := s.Pauses.Ends()
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
	return heard{span, pauses[:min(len(pauses), toldPauses)]}
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

// marksOf returns the marks of a row: of its silences, and of when the first
// nodes were heard. Where there are too many silences, those of the others are
// joined, and have no name.
func marksOf(row []analysis.Finding) []analysis.Mark {
	const fewest = 4 // times heard of a node
	var silences []analysis.Mark
	for i := range row {
		silences = append(silences, row[i].Marks...)
	}
	silences = analysis.CoarsenTo(silences, len(silences)) // puts them in order
	first := map[string]bool{}
	for _, m := range silences {
		if len(first) < heardNodes {
			first[m.Label] = true
		}
	}
	if len(silences)+fewest*len(first) > analysis.MaxMarks {
		var own, others []analysis.Mark
		for _, m := range silences {
			if first[m.Label] {
				own = append(own, m)
			} else {
				m.Label = ""
				others = append(others, m)
			}
		}
		own = analysis.Coarsen(own)
		silences = append(own, analysis.CoarsenTo(others, max(0, analysis.MaxMarks-len(own)-fewest*len(first)))...)
	}
	return append(silences, heardMarks(row, first, silences)...)
}

// heardMarks returns marks of when nodes were heard, beside those of their
// silences, as far as there is room.
func heardMarks(row []analysis.Finding, nodes map[string]bool, silences []analysis.Mark) (marks []analysis.Mark) {
	quiet := map[string][]tally.Interval{}
	for _, m := range silences {
		quiet[m.Label] = append(quiet[m.Label], tally.Interval{From: m.From, To: m.To})
	}
	each := (analysis.MaxMarks - len(silences)) / max(1, len(nodes))
	for i := range row {
		node := row[i].Subject.Node
		h, ok := row[i].Details[detailHeard].(heard)
		if !ok || !nodes[node] || each < 1+len(quiet[node]) {
			continue
		}
		nodes[node] = false // it may have two silences
		marks = append(marks, h.marks(node, each, quiet[node]...)...)
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
