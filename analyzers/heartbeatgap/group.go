package heartbeatgap

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// told is what states report, for group only, besides silences.
type told struct {
	nodes   map[string][]string           // nodes whose heartbeats are in the log, with their addresses
	heard   map[string]bool               // addresses of nodes that were never silent
	managed bool                          // the node-controller wrote nodes
	moved   bool                          // a node was heard by an API server whose log was not read
	evicted *tally.Table[tally.Intervals] // when pods were deleted, by pod
	drained *tally.Table[tally.Intervals] // when pods were evicted, by pod
	own     ownBeats
}

// group joins silences of one kind that began together.
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
	if len(about.nodes) == 0 { // the audit policy leaves out heartbeats
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
	analysis.SortFindings(joined)
	return joined
}

// rows splits the gaps of one kind, which are in order of time, into rows that began
// together: within that time of the first one, or within a late beat of either.
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

// lateBeat returns how long after its last heartbeat a node may have fallen silent: one
// period, and half of one for a heartbeat that is late.
func lateBeat(f *analysis.Finding) time.Duration {
	beat, _ := f.Details[detailBeat].(time.Duration)
	return beat * 3 / 2
}

const (
	kindReturned = "returned"
	patternNever = "never-returned"
)

// kindOf returns the kind of a silence. Those of different kinds can't have one cause.
func kindOf(f *analysis.Finding) string {
	if f.Details[detailFailing] == true {
		return detailFailing
	}
	if p := f.Details.Text("pattern"); p == patternNever || p == patternElsewhere {
		return p
	}
	return kindReturned
}

// hear notes the addresses of the nodes that were never silent.
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
