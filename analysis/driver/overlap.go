package driver

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// An Overlap is a log whose first event stands in another one, too: what both
// hold is counted twice.
type Overlap struct{ Log, In string }

// compare looks for the first events of other logs.
func (w *worker) compare(batch []audit.Event) {
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

// overlapsOf returns what the workers found, in order.
func overlapsOf(workers []*worker) []Overlap {
	all := map[Overlap]bool{}
	for _, w := range workers {
		maps.Copy(all, w.overlaps)
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b Overlap) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.In, b.In))
	})
}
