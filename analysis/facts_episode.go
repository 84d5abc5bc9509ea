package analysis

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
)

// episodes finds the episodes in cells: stretches no longer than within (or than a step, if
// that is longer) whose cells have a sum for which enough is true. It returns the result
// of each sum. An episode has all cells within that time of its first one. Cells with an
// empty span are left out.
func episodes[C tally.Adder[C], E any](cells *tally.Cells[C], within time.Duration,
	span func(*C) tally.Span, enough func(*C) bool, result func(*C) E,
) []E {
	var found []E
	list := cells.List
	for i := 0; i < len(list); {
		from, next := span(&list[i].Value), i+1
		if from.Empty() {
			i = next
			continue
		}
		sum := list[i].Value
		for next < len(list) && span(&list[next].Value).Last.Sub(from.First) <= within {
			sum = sum.Plus(list[next].Value)
			next++
		}
		if enough(&sum) {
			found = append(found, result(&sum))
			i = next
		} else {
			i++
		}
	}
	return found
}
