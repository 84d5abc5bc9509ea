package analysis

import (
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
)

// episodes finds the stretches of time in which enough came together, within
// so long (or a step, if that is longer), and makes something of the sum of
// each. A cell whose span is empty has no part in it; what follows an episode
// within the same time belongs to it.
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
