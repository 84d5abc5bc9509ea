package tally

import (
	"cmp"
	"slices"
	"sort"
)

// Least finds the value with this hash among kept, which holds no more than most values,
// those with the smallest hashes, in order of their hashes. If it is not there, Least
// inserts fresh, and drops the value with the largest hash if there are too many. It
// returns the new list and a pointer into it, or nil if the hash is itself too large to be
// kept. spilt reports whether a value was dropped or not kept.
//
// What is kept in this way does not depend on how a log is cut, and each value that is kept
// was kept from its first event on.
func Least[T any](kept []T, most int, hash uint64, of func(*T) uint64, fresh T) (_ []T, at *T, spilt bool) {
	full := len(kept) >= most
	if full && hash > of(&kept[len(kept)-1]) {
		return kept, nil, true
	}
	i, found := sort.Find(len(kept), func(i int) int { return cmp.Compare(hash, of(&kept[i])) })
	if !found {
		if full {
			kept = kept[:len(kept)-1]
		}
		kept = slices.Insert(kept, i, fresh)
	}
	return kept, &kept[i], full && !found
}
