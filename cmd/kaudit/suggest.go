package main

import (
	"fmt"
	"strings"

	"github.com/kaudit/kaudit/query"
)

// didYouMean returns the hint for a name that does not exist: the nearest of
// those that do, or the only one that it begins, or otherwise.
func didYouMean(name string, names []string, otherwise string) string {
	best, nearest := "", query.Tolerance(name)+1
	for _, n := range names {
		if d := query.Distance(name, n); d < nearest {
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
