package main

import (
	"fmt"
	"strings"
)

// didYouMean returns the hint for a name that does not exist: the nearest of
// those that do, or the only one that it begins, or otherwise.
func didYouMean(name string, names []string, otherwise string) string {
	best, nearest := "", max(1, (len(name)+1)/3)+1
	for _, n := range names {
		if d := distance(name, n); d < nearest {
			best, nearest = n, d
		}
	}
	if best == "" {
		best = onlyBeginning(name, names)
	}
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// onlyBeginning returns the only one of names that begins with what was typed,
// or nothing.
func onlyBeginning(typed string, names []string) (only string) {
	if typed == "" {
		return ""
	}
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, typed):
		case only != "":
			return ""
		default:
			only = n
		}
	}
	return only
}

// distance counts the characters to add, drop or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
