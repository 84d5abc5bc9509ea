package heartbeatgap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// group joins silences that began together, and ended or did not.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	nodes := map[string]bool{}
	var gaps, joined []analysis.Finding
	for _, f := range findings {
		switch {
		case f.Details[detailAlive] == true:
			nodes[f.Subject.Node] = true
		case f.Details.Text("kind") == "marked":
			joined = append(joined, f)
		default:
			gaps = append(gaps, f)
		}
	}
	slices.SortStableFunc(gaps, func(a, b analysis.Finding) int {
		return cmp.Or(cmp.Compare(a.First, b.First), strings.Compare(a.Subject.Node, b.Subject.Node))
	})
	for _, kind := range []string{"returned", "never-returned", detailFailing} {
		var row []analysis.Finding
		flush := func() {
			if len(row) > 0 {
				joined = append(joined, join(row, len(nodes)))
			}
			row = nil
		}
		for _, f := range gaps {
			if kindOf(&f) != kind {
				continue
			}
			if len(row) > 0 && f.First.Sub(row[0].First) > p.Duration(optTogether) {
				flush()
			}
			row = append(row, f)
		}
		flush()
	}
	slices.SortFunc(joined, func(a, b analysis.Finding) int { return a.Compare(&b) })
	return joined
}

// kindOf tells apart silences that can't have one cause.
func kindOf(f *analysis.Finding) string {
	switch {
	case f.Details[detailFailing] == true:
		return detailFailing
	case f.Details.Text("pattern") == "never-returned":
		return "never-returned"
	}
	return "returned"
}

// join makes one finding of silences with one cause, out of so many nodes.
func join(row []analysis.Finding, all int) analysis.Finding {
	longest := &row[0]
	f := row[0]
	names, ips := map[string]bool{}, map[string]int{}
	marked, planned := 0, 0
	f.Marks, f.Evidence = nil, nil
	for i := range row {
		one := &row[i]
		if one.Details.Float("gapSeconds") > longest.Details.Float("gapSeconds") {
			longest = one
		}
		names[one.Subject.Node] = true
		if one.Confidence.Rank() > f.Confidence.Rank() { // one that is sure vouches for all
			f.Confidence, f.Caveats = one.Confidence, one.Caveats
		}
		addresses, _ := one.Details[detailIPs].([]string)
		for _, ip := range addresses {
			ips[ip]++
		}
		if one.Details["markedNotReady"] == true {
			marked++
		}
		if one.Details[detailPlan] == true {
			planned++
		}
		f.First, f.Last = min(f.First, one.First), max(f.Last, one.Last)
		f.Marks = append(f.Marks, one.Marks...)
	}
	for i := range row { // the first nodes prove it for all, and the longest
		if one := &row[i]; len(f.Evidence)+len(one.Evidence) <= analysis.MaxEvidence {
			f.Evidence = append(f.Evidence, one.Evidence...)
		}
	}
	slices.SortFunc(f.Evidence, func(a, b analysis.Evidence) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.Source, b.Source), cmp.Compare(a.Offset, b.Offset))
	})
	f.Marks = analysis.Coarsen(f.Marks)
	f.Count = len(names)
	sorted := sortedNames(names)
	kind := kindOf(&row[0])
	never := longest.Details.Text("pattern") == "never-returned"
	f.Details = analysis.Details{
		"nodes": sorted, "gapSeconds": longest.Details.Float("gapSeconds"),
		"pattern": pattern(len(names), all, never), "recovery": longest.Details.Text("recovery"),
		"markedNotReady": marked, "commonIP": common(ips, row), detailFailing: kind == detailFailing,
	}
	f.Severity = severity(&f, len(row), planned)
	if len(names) > 1 {
		f.Subject = analysis.Subject{Resource: resNodes.String()}
		if ip := f.Details.Text("commonIP"); ip != "" {
			f.Subject.SourceIP = ip
		}
	}
	if planned > 0 {
		f.Caveats = append(slices.Clone(f.Caveats), "somebody patched a node not long before: it may have been drained on purpose")
	}
	f.Title = title(&f, sorted, kind)
	return f
}

// severity is Critical for many nodes or all of them, and Info for a node that
// was drained, it seems.
func severity(f *analysis.Finding, n, planned int) analysis.Severity {
	switch {
	case planned == n:
		return analysis.Info
	case f.Confidence == analysis.Possible, f.Count == 1 && f.Details.Text("pattern") != "all-nodes":
		return analysis.Warning
	}
	return analysis.Critical
}

// pattern tells how many fell silent, of all nodes whose beats are in the log.
func pattern(n, all int, never bool) string {
	switch {
	case never:
		return "never-returned"
	case n == 1:
		return "one-node"
	case n == all:
		return "all-nodes"
	}
	return "many-nodes"
}

// common returns the address that all nodes of a row share, if there are
// several.
func common(ips map[string]int, row []analysis.Finding) string {
	var shared []string
	for ip, n := range ips {
		if len(row) > 1 && n == len(row) {
			shared = append(shared, ip)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared, ",")
}

func sortedNames(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func title(f *analysis.Finding, names []string, kind string) string {
	const most = 5
	who, beats := fmt.Sprintf("%d nodes", len(names)), fmt.Sprintf("the beats of %d nodes", len(names))
	together := " together"
	if len(names) == 1 {
		who, together = "node "+analysis.Plain(names[0]), ""
		beats = "the beats of " + who
	}
	lasted := time.Duration(f.Details.Float("gapSeconds") * float64(time.Second)).Round(100 * time.Millisecond)
	var what string
	switch kind {
	case detailFailing:
		what = fmt.Sprintf("%s failed%s for up to %s", beats, together, lasted)
	case "never-returned":
		what = fmt.Sprintf("%s fell silent%s and did not return, for %s to the log's end", who, together, lasted)
	default:
		what = fmt.Sprintf("%s fell silent%s for up to %s and returned", who, together, lasted)
	}
	if len(names) > 1 {
		what += ": " + analysis.Plain(strings.Join(names[:min(most, len(names))], ", "))
		if more := len(names) - most; more > 0 {
			what += fmt.Sprintf(" and %d more", more)
		}
	}
	if ip := f.Details.Text("commonIP"); ip != "" {
		what += "; all of them come from " + ip
	}
	if n := f.Details.Int("markedNotReady"); n > 0 {
		what += fmt.Sprintf("; the node-controller marked %d of them", n)
	}
	return what
}
