package analysis

import (
	"cmp"
	"slices"
)

// AtOneTime splits findings wherever more than a minute passes between them. Those that
// stay together may have one cause. It sorts findings, which must not be empty.
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
