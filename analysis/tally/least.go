package tally

import (
	"cmp"
	"slices"
	"sort"
)

// Least returns where the value with this hash is among those that are kept: the
// ones with the smallest hashes, at most so many, in order of these. If it was not
// there, fresh is put there, which may drive out the one with the largest hash. at is
// nil if the hash is too large itself; spilt reports whether one was dropped. What is
// kept so is the same however a log is cut, and each value that is kept was kept from
// its first event on.
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
