package hotloop

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// title says who writes what again and again, how often, and within what time.
func title(f *analysis.Finding, l *loop) string {
	names, what := users(l.items), target(&f.Subject)
	who := strings.Join(names, " and ")
	within, t := fmt.Sprintf("within %s", max(f.Last.Sub(f.First), time.Second).Round(time.Second)), &l.sum
	switch {
	case l.kind == kindConflicts:
		return fmt.Sprintf("%s writes %s in vain: %d of %d writes %s conflicted", who, what, t.conflicts, t.writes, within)
	case l.kind == kindTurns:
		least := ""
		if l.atLeast {
			least = "at least "
		}
		return fmt.Sprintf("%s write %s in turns: %d writes %s, which changed hands %s%d times", who, what, t.writes, within, least, t.turns)
	case l.kind == kindRequests && t.reads > 0:
		return fmt.Sprintf("%s reads and writes %s without a pause: %d reads and %d writes %s", who, what, t.reads, t.writes, within)
	case l.kind == kindMany:
		return fmt.Sprintf("%s writes %s over and over: %d writes to %d objects %s", who, what, t.writes, l.objects(), within)
	}
	if codes, ok := f.Details["codes"].([]int); ok {
		return fmt.Sprintf("%s writes %s in vain: %d times %s, each answered %s", who, what, t.writes, within, codesText(codes))
	}
	verb := "writes"
	if len(names) > 1 {
		verb = "write"
	}
	return fmt.Sprintf("%s %s %s again and again: %d times %s", who, verb, what, t.writes, within)
}

// codesText lists codes.
func codesText(codes []int) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = strconv.Itoa(code)
	}
	return strings.Join(texts, " or ")
}

// target names the object or the resource.
func target(s *analysis.Subject) string {
	text := s.Resource
	if s.APIGroup != "" {
		text += "." + s.APIGroup
	}
	switch {
	case s.Name == "":
	case s.Namespace == "":
		text += " " + s.Name
	default:
		text += " " + s.Namespace + "/" + s.Name
	}
	if s.Subresource != "" {
		text += " (" + s.Subresource + ")"
	}
	return analysis.Plain(text)
}
