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

// Join makes one finding of several, which must not be empty. It has the severity and the
// confidence of the first, the sum of their counts, what their subjects have in common, a
// line of evidence of each as far as MaxEvidence allows, and all of their marks, to be
// coarsened. Title, details and caveats are the caller's to give.
func Join(members []Finding) Finding {
	f := members[0]
	f.Title, f.Details, f.Caveats = "", nil, nil
	f.Count, f.Marks, f.Evidence = 0, nil, nil
	for i := range members {
		m := &members[i]
		f.Count += m.Count
		f.First, f.Last = min(f.First, m.First), max(f.Last, m.Last)
		f.Subject = f.Subject.Common(m.Subject)
		f.Marks = append(f.Marks, m.Marks...)
		if len(f.Evidence) < MaxEvidence && len(m.Evidence) > 0 {
			f.Evidence = append(f.Evidence, m.Evidence[0])
		}
	}
	return f
}
