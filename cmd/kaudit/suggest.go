package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/query"
)

// others are words that people know from other tools, with what kaudit calls the
// same thing.
var others = map[string]string{
	"error": "critical", "err": "critical", "fatal": "critical", "high": "critical",
	"medium": "warning", "low": "info", "notice": "info", "debug": "info", "all": "info",
	"certain": "confirmed", "sure": "confirmed", "probable": "likely",
	"text": "table", "table": "text", "yml": "yaml", "md": "markdown", "ndjson": "jsonl",
	"received": "RequestReceived", "started": "ResponseStarted", "complete": "ResponseComplete", "completed": "ResponseComplete",
	"ns": "namespace", "kind": "resource", "type": "resource", "status": "code", "agent": "user-agent", "ip": "source-ip",
	"from": "since", "after": "since", "last": "since", "to": "until", "before": "until",
	"severity": "min-severity", "confidence": "min-confidence", "filter": "where", "max": "limit",
	"list": "events", "ls": "events", "get": "events", "logs": "events", "count": "top", "stats": "top", "history": "timeline",
	"check": "scan", "analyze": "scan", "analyse": "scan", "report": "scan", "convert": "render",
}

// foreignFlags are flags that people know from kubectl, gh and grep, with the hint
// how to do the same here. They are asked for only where kaudit has no such flag.
var foreignFlags = map[string]string{
	"A": allNamespaces, "all-namespaces": allNamespaces,
	"f": noFollow, "follow": noFollow, "w": noFollow, "watch": noFollow,
	"v": negation, "invert-match": negation,
	"l": noLabels, "selector": noLabels,
	"e": regularExpression, "regexp": regularExpression,
	"node": "--user system:node:NAME chooses what a node's kubelet asks; kaudit timeline --node NAME tells of the node",
}

const (
	allNamespaces     = "without -n, all namespaces are chosen"
	noFollow          = "kaudit reads to the end of its input; to follow a log, pipe it in"
	negation          = "!VALUE leaves out what it matches, as in --verb '!get'"
	noLabels          = "audit events have no labels of objects; --where can look into bodies"
	regularExpression = "/RE/ is a regular expression, as in --user '/^system:node:/'"
)

// didYouMean returns the hint for a name that is not among names: what kaudit
// calls what the name means in other tools, or the nearest name, or the only one
// that begins with it; if there is none, otherwise.
func didYouMean(name string, names []string, otherwise string) string {
	if known := others[strings.ToLower(name)]; slices.Contains(names, known) {
		return fmt.Sprintf("did you mean %s?", known)
	}
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
