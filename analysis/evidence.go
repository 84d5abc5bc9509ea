package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// sortedRefs returns the references in order of time, each once.
func sortedRefs(refs []audit.Ref) []audit.Ref {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, audit.Ref.Compare)
	return slices.CompactFunc(refs, func(a, b audit.Ref) bool { return a.Compare(b) == 0 })
}

// Coarsen joins neighbouring marks of one kind until at most MaxMarks are left. It
// returns them ordered by kind, then by time.
func Coarsen(marks []Mark) []Mark { return CoarsenTo(marks, MaxMarks) }

// CoarsenTo is like Coarsen with another limit: it leaves at most most marks.
func CoarsenTo(marks []Mark, most int) []Mark {
	slices.SortStableFunc(marks, compareMarks)
	for len(marks) > most {
		joined := marks[:0:0]
		for pair := range slices.Chunk(marks, 2) {
			if len(pair) == 1 || pair[0].Kind != pair[1].Kind {
				joined = append(joined, pair...)
				continue
			}
			both := Mark{Kind: pair[0].Kind, From: pair[0].From, To: max(pair[0].To, pair[1].To), N: pair[0].N + pair[1].N}
			if pair[0].Label == pair[1].Label {
				both.Label = pair[0].Label
			}
			joined = append(joined, both)
		}
		if len(joined) == len(marks) { // alternating kinds: nothing to join
			return joined[:most]
		}
		marks = joined
	}
	return marks
}

func compareMarks(a, b Mark) int {
	return cmp.Or(
		strings.Compare(a.Kind, b.Kind),
		cmp.Compare(a.From, b.From),
		cmp.Compare(a.To, b.To),
		cmp.Compare(a.N, b.N),
		strings.Compare(a.Label, b.Label),
	)
}
