package analysis

import (
	"cmp"
	"slices"
)

// AtOneTime parts findings, which are put in order, where a minute passes that none
// of them touches: what is left together may have one cause.
func AtOneTime(findings []Finding) (parts [][]Finding) {
	const minute = 60e6 // microseconds
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.First, b.First), a.Compare(&b)) })
	begin, last := 0, findings[0].Last
	for i := range findings {
		if findings[i].First > last+minute {
			parts = append(parts, findings[begin:i])
			begin = i
		}
		last = max(last, findings[i].Last)
	}
	return append(parts, findings[begin:])
}
