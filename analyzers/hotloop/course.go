package hotloop

import (
	"maps"
	"slices"
)

// A course is how many writes or requests there were, by minute.
type course map[int64]int

// course counts the minutes of items, and from each of them on in both directions until
// the pace falls below half of that of least, or the log ends.
func (c *census) course(items []item, least int, count func(minute int64) int) course {
	found, span := course{}, c.Facts.Span
	first, last := minuteOf(span.First)-1, minuteOf(span.Last) // requests are counted when they began, which may be before the log's first event
	for i := range items {
		from := minuteOf(items[i].Began())
		for _, step := range []int64{-1, 1} {
			for minute := from; minute == from || first <= minute && minute <= last; minute += step {
				if _, known := found[minute]; known && minute != from {
					break
				}
				n := count(minute)
				found[minute] = n
				if !c.near(n, least) {
					break
				}
			}
		}
	}
	return found
}

// hot returns the minutes, in order, that lie in some window of minutes with at least
// least writes or requests.
func (c course) hot(window, least int) (minutes []int64) {
	return c.windows(window, func(minutes []int64) bool { return c.sum(minutes) >= least })
}

// windows returns the minutes, in order, that lie in some window for which is reports
// true and that are not empty.
func (c course) windows(window int, is func(minutes []int64) bool) []int64 {
	hot, minutes := map[int64]bool{}, make([]int64, window)
	for _, first := range slices.Sorted(maps.Keys(c)) {
		for i := range minutes {
			minutes[i] = first + int64(i)
		}
		if !is(minutes) {
			continue
		}
		for _, minute := range minutes {
			if c[minute] > 0 {
				hot[minute] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(hot))
}

func (c course) sum(minutes []int64) (n int) {
	for _, minute := range minutes {
		n += c[minute]
	}
	return n
}

// during returns the items that began in these minutes, which are in order.
func during(items []item, minutes []int64) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool {
		_, found := slices.BinarySearch(minutes, minuteOf(i.Began()))
		return !found
	})
}
