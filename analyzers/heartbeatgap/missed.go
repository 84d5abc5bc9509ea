package heartbeatgap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// detailMissed are what a state tells group of a node that the log never heard.
const detailMissed = "missed"

// patternUnheard is of nodes of which the log has nothing but what the
// node-controller wrote: the audit policy leaves out what kubelets do.
const patternUnheard = "marked-unheard"

const (
	caveatPolicy  = "no kubelet's beats are in the log: when the nodes fell silent, and whether they came back, is not known"
	caveatPatched = "somebody patched a node not long before: it may have been drained on purpose"
)

// monitorPeriod is how often the node-controller looks for nodes that it missed, by
// default (--node-monitor-period).
const monitorPeriod = 5 * time.Second

// A miss is a time at which the node-controller marked a node.
type miss struct {
	node             string
	at               audit.Time
	tainted, planned bool
	refs             []audit.Ref
}

// misses returns when the node-controller called the node NotReady, but for a node
// that was deleted then.
func (s *State) misses(p *analysis.Pass) []miss {
	times := slices.Clone(s.Missed.Pairs)
	for _, c := range s.Missed.Cells.All() {
		times = append(times, tally.Interval{From: c.FirstFrom, To: c.LastTo})
	}
	var found []miss
	for _, t := range times {
		if s.Deleted.Overlapping(t.From.Add(-time.Minute), p.Facts.Span.Last) > 0 || !s.chosen(p, t.From, t.To) {
			continue
		}
		one := miss{
			node: p.Key.Name, at: t.From,
			tainted: s.Tainted.Overlapping(t.From, t.To.Add(aside)) > 0,
			planned: s.Patched.Overlapping(t.From.Add(-p.Duration(optPlanned)), t.From) > 0,
		}
		for _, ref := range s.MarkLines.Refs() {
			if t.From <= ref.Time && ref.Time <= t.To {
				one.refs = append(one.refs, ref)
			}
		}
		found = append(found, one)
	}
	return found
}

// reportMissed makes one finding of marks that were made at about one time, where
// the log has no node's beats.
func reportMissed(p *analysis.Pass, unheard []analysis.Finding) (joined []analysis.Finding) {
	var all []miss
	for i := range unheard {
		misses, _ := unheard[i].Details[detailMissed].([]miss)
		all = append(all, misses...)
	}
	slices.SortStableFunc(all, func(a, b miss) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node)) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].at.Sub(all[0].at) <= p.Duration(optTogether)+monitorPeriod {
			n++
		}
		joined = append(joined, missed(all[:n]))
		all = all[n:]
	}
	return joined
}

// missed makes one finding of a row of misses: critical of several nodes, a warning of one,
// and information if all were planned.
func missed(row []miss) analysis.Finding {
	f := analysis.Finding{
		Severity: analysis.Critical, Confidence: analysis.Likely, Subject: analysis.Subject{Resource: resNodes.String()},
		First: row[0].at, Last: row[len(row)-1].at, Caveats: []string{caveatPolicy},
	}
	var refs []audit.Ref
	names, tainted, planned := map[string]bool{}, map[string]bool{}, 0
	for i := range row {
		one := &row[i]
		names[one.node] = true
		if one.tainted {
			tainted[one.node] = true
		}
		if one.planned {
			planned++
		}
		for _, ref := range one.refs {
			f.Last = max(f.Last, ref.Time)
		}
		refs = append(refs, one.refs...)
		f.Marks = append(f.Marks, statusMarks(one.node, one.refs)...)
	}
	nodes := slices.Sorted(maps.Keys(names))
	if len(nodes) == 1 {
		f.Severity, f.Subject = analysis.Warning, analysis.Subject{Node: nodes[0]}
	}
	if planned == len(row) {
		f.Severity = analysis.Info
	}
	if planned > 0 {
		f.Caveats = append(f.Caveats, caveatPatched)
	}
	f.Title, f.Count = missedTitle(nodes, len(tainted)), len(nodes)
	f.Marks, f.Evidence = analysis.Coarsen(f.Marks), analysis.CiteFirst(refs)
	f.Details = analysis.Details{
		"kind": "marked", "pattern": patternUnheard, "nodes": nodes, "gapSeconds": 0.0, "recovery": "",
		"markedNotReady": len(nodes), "tainted": len(tainted),
	}
	return f
}

func missedTitle(nodes []string, tainted int) string {
	title := fmt.Sprintf("the node-controller missed %d nodes together and marked them not ready: %s", len(nodes), listed(nodes))
	if len(nodes) == 1 {
		title = fmt.Sprintf("the node-controller missed node %s and marked it not ready", analysis.Plain(nodes[0]))
	}
	if tainted > 0 {
		title += fmt.Sprintf("; it tainted %d", tainted)
	}
	return title
}
