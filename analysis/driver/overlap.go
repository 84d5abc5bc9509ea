package driver

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// An Overlap is a log whose first event also stands in another one: what both hold is
// counted twice.
type Overlap struct{ Log, In string }

// findOverlaps looks in a batch for the first events of other logs.
func (w *worker) findOverlaps(batch []audit.Event) {
	for i := range batch {
		e := &batch[i]
		if e.Origin != audit.OriginAudit {
			continue
		}
		if other := w.shared.options.openings.Other(e); other != "" {
			if w.overlaps == nil {
				w.overlaps = map[Overlap]bool{}
			}
			w.overlaps[Overlap{other, e.Log}] = true
		}
	}
}

// overlapsOf returns the overlaps that the workers found, sorted.
func overlapsOf(workers []*worker) []Overlap {
	all := map[Overlap]bool{}
	for _, w := range workers {
		maps.Copy(all, w.overlaps)
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b Overlap) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.In, b.In))
	})
}
