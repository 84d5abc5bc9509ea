package heartbeatgap

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// What states told, apart from their findings.
type told struct {
	nodes   map[string][]string // whose beats are in the log, with their addresses
	heard   map[string]bool     // the addresses of those that were never silent
	managed bool                // the node-controller wrote nodes
	moved   bool                // some node was heard by an API server whose log is not here
	evicted *tally.Table[tally.Intervals]
	drained *tally.Table[tally.Intervals]
	own     ownBeats
}

// group joins silences that began together, and ended or did not.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	about := told{nodes: map[string][]string{}, heard: map[string]bool{}, own: newOwnBeats(p)}
	var gaps, joined []analysis.Finding
	for _, f := range findings {
		switch evicted, ok := f.Details[detailEvicted].(*tally.Table[tally.Intervals]); {
		case ok:
			about.evicted = evicted
			about.drained, _ = f.Details[detailDrained].(*tally.Table[tally.Intervals])
		case f.Details[detailAlive] == true:
			about.nodes[f.Subject.Node] = addresses(&f)
			about.managed = about.managed || f.Details[detailManaged] == true
		case f.Details.Text("kind") == "marked":
			joined = append(joined, f)
		default:
			about.moved = about.moved || kindOf(&f) == patternElsewhere
			gaps = append(gaps, f)
		}
	}
	if len(about.nodes) == 0 { // no node's beats are in the log: a policy drops them
		joined = append(joined, reportMissed(p, gaps)...)
		gaps = slices.DeleteFunc(gaps, func(f analysis.Finding) bool { return f.Details[detailUnheard] == true })
	}
	gaps = slices.DeleteFunc(gaps, func(f analysis.Finding) bool { return f.Details[detailGlimpse] == true })
	about.hear(gaps)
	slices.SortStableFunc(gaps, func(a, b analysis.Finding) int {
		return cmp.Or(cmp.Compare(a.First, b.First), strings.Compare(a.Subject.Node, b.Subject.Node))
	})
	for _, kind := range []string{kindReturned, patternNever, patternElsewhere, detailFailing} {
		for _, row := range rows(gaps, kind, p.Duration(optTogether)) {
			joined = append(joined, about.join(p, row))
		}
	}
	joined = append(joined, about.own.unanswered(p)...)
	slices.SortFunc(joined, func(a, b analysis.Finding) int { return a.Compare(&b) })
	return joined
}

// rows returns the gaps of one kind, in order of time, each with those that
// began so soon after it, or before the slower of the two missed a beat.
func rows(gaps []analysis.Finding, kind string, together time.Duration) (rows [][]analysis.Finding) {
	for _, f := range gaps {
		n := len(rows)
		switch {
		case kindOf(&f) != kind:
		case n > 0 && f.First.Sub(rows[n-1][0].First) <= max(together, lateBeat(&f), lateBeat(&rows[n-1][0])):
			rows[n-1] = append(rows[n-1], f)
		default:
			rows = append(rows, []analysis.Finding{f})
		}
	}
	return rows
}

// lateBeat is how much later than its last beat a node may have fallen silent: a
// beat, and a half for one that is late.
func lateBeat(f *analysis.Finding) time.Duration {
	beat, _ := f.Details[detailBeat].(time.Duration)
	return beat * 3 / 2
}

const (
	kindReturned = "returned"
	patternNever = "never-returned"
)

// kindOf tells apart silences that can't have one cause.
func kindOf(f *analysis.Finding) string {
	if f.Details[detailFailing] == true {
		return detailFailing
	}
	if p := f.Details.Text("pattern"); p == patternNever || p == patternElsewhere {
		return p
	}
	return kindReturned
}

// join makes one finding of silences with one cause.
func (t *told) join(p *analysis.Pass, row []analysis.Finding) analysis.Finding {
	f := row[0]
	longest := &row[0]
	names, ips := map[string]bool{}, map[string]int{}
	f.Marks, f.Evidence = nil, nil
	for i := range row {
		one := &row[i]
		t.doubt(one)
		t.own.vouch(one)
		if one.Details.Float("gapSeconds") > longest.Details.Float("gapSeconds") {
			longest = one
		}
		names[one.Subject.Node] = true
		if i == 0 || one.Confidence.Rank() > f.Confidence.Rank() { // one that is sure vouches for all
			f.Confidence, f.Caveats = one.Confidence, one.Caveats
		}
		for _, ip := range addresses(one) {
			ips[ip]++
		}
		f.First, f.Last = min(f.First, one.First), max(f.Last, one.Last)
	}
	f.Evidence = firstEvidence(row)
	f.Marks = marksOf(row)
	f.Count = len(names)
	sorted := sortedNames(names)
	kind := kindOf(&row[0])
	f.Details = analysis.Details{
		"nodes": sorted, "gapSeconds": longest.Details.Float("gapSeconds"),
		"pattern": pattern(len(names), len(t.nodes), kind), "recovery": longest.Details.Text("recovery"),
		"commonIP": t.common(ips, row), detailFailing: kind == detailFailing,
		"markedNotReady": count(row, "markedNotReady"), "tainted": count(row, "tainted"), "evicted": t.evictions(row),
	}
	if already := count(row, detailAlready); already == len(row) {
		f.Details[detailAlready] = true
	}
	if n := unansweredBeats(row); n > 0 {
		f.Details[detailUnanswered] = n
	}
	planned := t.planned(p, row)
	f.Severity = severity(&f, len(row), planned)
	if len(names) > 1 {
		f.Subject = analysis.Subject{Resource: resNodes.String()}
		if ip := f.Details.Text("commonIP"); ip != "" {
			f.Subject.SourceIP = ip
		}
	}
	if planned > 0 && kind != patternElsewhere {
		f.Caveats = append(slices.Clone(f.Caveats), "somebody patched a node not long before: it may have been drained on purpose")
	}
	f.Title = title(&f, sorted, kind, longest.Details[detailAlready] == true || longest.Details[detailBehind] == true)
	return f
}

// doubt lowers a silence that the node-controller, which is in the log, did
// not answer, or that began where other nodes are known to have gone to another
// API server.
func (t *told) doubt(f *analysis.Finding) {
	switch {
	case f.Details[detailDoubt] != true:
	case t.managed:
		f.Confidence, f.Caveats = analysis.Possible, []string{caveatElsewhere}
	case t.moved && f.Confidence == analysis.Likely:
		f.Confidence, f.Caveats = analysis.Possible, []string{caveatServers, caveatUnmarked}
	}
}

// evictions returns how many pods of the nodes were deleted while these were
// silent: pods whose status the kubelets wrote.
func (t *told) evictions(row []analysis.Finding) int {
	n := 0
	for i := range row {
		n += podsWithin(&row[i], t.evicted, row[i].First, row[i].Last)
	}
	return n
}

// planned returns how many of the nodes were drained, perhaps: a person patched
// them not long before, or a program that had pods evicted. Programs that label
// nodes patch them all the time.
func (t *told) planned(p *analysis.Pass, row []analysis.Finding) int {
	n := 0
	for i := range row {
		f := &row[i]
		before := f.First.Add(-p.Duration(optPlanned))
		if f.Details[detailPlan] == true || f.Details[detailSteered] == true && podsWithin(f, t.drained, before, f.Last) > 0 {
			n++
		}
	}
	return n
}

// podsWithin returns how many of a node's pods are in the table, with a time in
// [from, to].
func podsWithin(f *analysis.Finding, table *tally.Table[tally.Intervals], from, to audit.Time) int {
	pods, _ := f.Details[detailPods].(podSet)
	if table == nil || pods == nil {
		return 0
	}
	n := 0
	for _, pod := range pods {
		if times := table.GetHash(pod); times != nil && times.Overlapping(from, to) > 0 {
			n++
		}
	}
	return n
}

// firstEvidence returns the lines of the first nodes, which prove it for all.
func firstEvidence(row []analysis.Finding) (lines []analysis.Evidence) {
	for i := range row {
		if one := &row[i]; len(lines)+len(one.Evidence) <= analysis.MaxEvidence {
			lines = append(lines, one.Evidence...)
		}
	}
	slices.SortFunc(lines, func(a, b analysis.Evidence) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.Source, b.Source), cmp.Compare(a.Offset, b.Offset))
	})
	return lines
}

// count returns how many have the detail set.
func count(row []analysis.Finding, detail string) int {
	n := 0
	for i := range row {
		if row[i].Details[detail] == true {
			n++
		}
	}
	return n
}

// severity is Critical for many nodes or all of them, and Info for a node that
// was drained, it seems, or was heard elsewhere.
func severity(f *analysis.Finding, n, planned int) analysis.Severity {
	switch {
	case planned == n, f.Details.Text("pattern") == patternElsewhere:
		return analysis.Info
	case f.Confidence == analysis.Possible, f.Count == 1 && f.Details.Text("pattern") != "all-nodes":
		return analysis.Warning
	}
	return analysis.Critical
}

// pattern tells how many fell silent, of all nodes whose beats are in the log.
func pattern(n, all int, kind string) string {
	switch {
	case kind == patternNever, kind == patternElsewhere:
		return kind
	case n == 1:
		return "one-node"
	case n == all:
		return "all-nodes"
	}
	return "many-nodes"
}

// common returns the address that all nodes of a row share, if there are
// several, and if no node that was heard all the while has it.
func (t *told) common(ips map[string]int, row []analysis.Finding) string {
	var shared []string
	for ip, n := range ips {
		if len(row) > 1 && n == len(row) && !t.heard[ip] {
			shared = append(shared, ip)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared, ",")
}

// hear notes the addresses of the nodes that have no gap.
func (t *told) hear(gaps []analysis.Finding) {
	silent := map[string]bool{}
	for i := range gaps {
		silent[gaps[i].Subject.Node] = true
	}
	for node, ips := range t.nodes {
		for _, ip := range ips {
			t.heard[ip] = t.heard[ip] || !silent[node]
		}
	}
}

// addresses returns those that a node was heard from.
func addresses(f *analysis.Finding) []string {
	ips, _ := f.Details[detailIPs].([]string)
	return ips
}

func sortedNames(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
