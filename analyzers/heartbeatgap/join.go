package heartbeatgap

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// join makes one finding of a row of silences.
func (t *told) join(p *analysis.Pass, row []analysis.Finding) analysis.Finding {
	f := row[0]
	for i := range row {
		t.doubt(&row[i])
		t.own.vouch(&row[i])
		f.First, f.Last = min(f.First, row[i].First), max(f.Last, row[i].Last)
	}
	f.Confidence, f.Caveats = surest(row)
	f.Evidence = firstEvidence(row)
	f.Marks = marksOf(row)
	nodes, kind, longest := nodesOf(row), kindOf(&row[0]), longestOf(row)
	f.Count = len(nodes)
	f.Details = t.details(row, nodes, kind, longest)
	planned := t.planned(p, row)
	f.Severity = severity(&f, len(row), planned)
	if len(nodes) > 1 {
		f.Subject = analysis.Subject{Resource: resNodes.String(), SourceIP: f.Details.Text("commonIP")}
	}
	if planned > 0 && kind != patternElsewhere {
		f.Caveats = append(slices.Clone(f.Caveats), "somebody patched a node not long before: it may have been drained on purpose")
	}
	f.Title = title(&f, nodes, kind, longest.Details[detailAlready] == true || longest.Details[detailBehind] == true)
	return f
}

// details returns the details of the finding that is made of a row.
func (t *told) details(row []analysis.Finding, nodes []string, kind string, longest *analysis.Finding) analysis.Details {
	d := analysis.Details{
		"nodes": nodes, "gapSeconds": longest.Details.Float("gapSeconds"),
		"pattern": pattern(len(nodes), len(t.nodes), kind), "recovery": longest.Details.Text("recovery"),
		"commonIP": t.common(row), detailFailing: kind == detailFailing,
		"markedNotReady": count(row, "markedNotReady"), "tainted": count(row, "tainted"), "evicted": t.evictions(row),
	}
	if count(row, detailAlready) == len(row) {
		d[detailAlready] = true
	}
	if n := unansweredBeats(row); n > 0 {
		d[detailUnanswered] = n
	}
	return d
}

// surest returns the confidence of the surest finding of a row, with its caveats: if one
// silence is sure, so are those that came with it.
func surest(row []analysis.Finding) (analysis.Confidence, []string) {
	most := &row[0]
	for i := range row {
		if row[i].Confidence.Rank() > most.Confidence.Rank() {
			most = &row[i]
		}
	}
	return most.Confidence, most.Caveats
}

// longestOf returns the finding of a row with the longest silence.
func longestOf(row []analysis.Finding) *analysis.Finding {
	longest := &row[0]
	for i := range row {
		if row[i].Details.Float("gapSeconds") > longest.Details.Float("gapSeconds") {
			longest = &row[i]
		}
	}
	return longest
}

// nodesOf returns the names of the nodes of a row, sorted.
func nodesOf(row []analysis.Finding) []string {
	names := map[string]bool{}
	for i := range row {
		names[row[i].Subject.Node] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// doubt lowers the confidence of a silence to which the node-controller did not react,
// though its writes are in the log, or that may be another node's move to an API server
// whose log was not read.
func (t *told) doubt(f *analysis.Finding) {
	switch {
	case f.Details[detailDoubt] != true:
	case t.managed:
		f.Confidence, f.Caveats = analysis.Possible, []string{caveatElsewhere}
	case t.moved && f.Confidence == analysis.Likely:
		f.Confidence, f.Caveats = analysis.Possible, []string{caveatServers, caveatUnmarked}
	}
}

// evictions returns how many pods of the nodes were deleted while the nodes were silent.
func (t *told) evictions(row []analysis.Finding) int {
	n := 0
	for i := range row {
		n += podsWithin(&row[i], t.evicted, row[i].First, row[i].Last)
	}
	return n
}

// planned returns how many of the nodes may have been drained: shortly before, a person
// patched them, or a program did that also had their pods evicted. Other programs patch
// nodes all the time, to label them.
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

// podsWithin returns how many of a node's pods have a time in the table that overlaps
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

// firstEvidence returns the evidence of as many nodes as MaxEvidence allows, in order of
// time.
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

// count returns how many of the findings have the detail set.
func count(row []analysis.Finding, detail string) int {
	n := 0
	for i := range row {
		if row[i].Details[detail] == true {
			n++
		}
	}
	return n
}

// severity is Info if all nodes seem to have been drained, or were heard elsewhere; Warning
// if it is only possible, or one node of several; else Critical. n is how many silences
// the finding is about, planned how many of these look like a drain.
func severity(f *analysis.Finding, n, planned int) analysis.Severity {
	switch {
	case planned == n, f.Details.Text("pattern") == patternElsewhere:
		return analysis.Info
	case f.Confidence == analysis.Possible, f.Count == 1 && f.Details.Text("pattern") != "all-nodes":
		return analysis.Warning
	}
	return analysis.Critical
}

// pattern says whether one node, many or all fell silent: n, of all whose heartbeats are in
// the log. Silences that never ended, or that others heard, have patterns of their own.
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

// common returns the address that all nodes of a row, if they are several, share with each
// other and with no node that was never silent. If there are more, they are joined by
// commas.
func (t *told) common(row []analysis.Finding) string {
	nodes := map[string]int{} // by address
	for i := range row {
		for _, ip := range addresses(&row[i]) {
			nodes[ip]++
		}
	}
	var shared []string
	for ip, n := range nodes {
		if len(row) > 1 && n == len(row) && !t.heard[ip] {
			shared = append(shared, ip)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared, ",")
}

// addresses returns the addresses that a node was heard from.
func addresses(f *analysis.Finding) []string {
	ips, _ := f.Details[detailIPs].([]string)
	return ips
}
