package heartbeatgap

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// What states tell group, and nobody else.
const (
	detailAlive = "alive" // not a finding: a node whose beats are in the log
	detailIPs   = "ips"
	detailPlan  = "planned"
)

// fewBeats make no rhythm, but a node that the node-controller missed after so
// many was a node.
const fewBeats = 3

// Report tells of each silence of the node.
func (s *State) Report(p *analysis.Pass) {
	if s.Heart < fewBeats || s.Selected.Empty() {
		return
	}
	regular := s.Heart >= int64(max(1, p.Int(optRhythm)))
	if !regular && s.Marked.Count() == 0 {
		return
	}
	subject := analysis.Subject{Node: p.Key.Name}
	p.Report(analysis.Finding{Subject: subject, Details: analysis.Details{detailAlive: true}})
	silences := s.silences(p, s.limit(p))
	for i := range silences {
		one := &silences[i]
		if one.unheard(p) || s.deleted(one) || !s.chosen(one.from, one.to) {
			continue
		}
		if !regular && s.Marked.Overlapping(one.from, one.to) == 0 {
			continue // too few beats to know its rhythm, and nobody missed it
		}
		p.Report(s.finding(p, one))
	}
	if failing := s.reportFailing(p, silences); !failing && len(silences) == 0 {
		s.reportMarks(p)
	}
}

// chosen reports whether a time touches what --since and --until left in.
func (s *State) chosen(from, to audit.Time) bool {
	return from <= s.Selected.Last && s.Selected.First <= to
}

func (s *State) finding(p *analysis.Pass, one *silence) analysis.Finding {
	f := analysis.Finding{
		Severity: analysis.Critical, Confidence: analysis.Confirmed, Count: 1,
		Subject: analysis.Subject{Node: p.Key.Name}, First: one.from, Last: one.to,
		Details: analysis.Details{
			"gapSeconds":     one.len().Seconds(),
			"pattern":        "one-node",
			"recovery":       s.recovery(one),
			"markedNotReady": s.Marked.Overlapping(one.from, one.to) > 0,
			detailIPs:        s.IPs.Members(),
			detailPlan:       s.drained(p, one),
		},
		Marks: []analysis.Mark{{Kind: "gap", From: one.from, To: one.to, N: 1}},
	}
	if !one.returned {
		f.Details["pattern"] = "never-returned"
	}
	if f.Details["markedNotReady"] == false {
		f.Confidence, f.Caveats = unmarked(p, one)
	}
	var refs []audit.Ref
	if one.last != nil {
		refs = append(refs, one.last.Ref())
	}
	for _, ref := range s.MarkLines.Refs() {
		if ref.Time >= one.from && ref.Time <= one.to {
			refs = append(refs, ref)
			break
		}
	}
	if one.first != nil {
		refs = append(refs, one.first.Ref())
	}
	for _, ref := range refs { // a request is answered after it was heard
		f.First, f.Last = min(f.First, ref.Time), max(f.Last, ref.Time)
	}
	f.Evidence = analysis.Cite(refs...)
	return f
}

const (
	caveatElsewhere = "the node-controller, whose writes of nodes are in the log, did not mark it: the kubelet may talk to an API server whose log is not here"
	caveatUnmarked  = "no writes of nodes by a node-controller are in the log: whether it missed the beats too is not known"
)

// unmarked weighs a silence that the node-controller did not answer.
func unmarked(p *analysis.Pass, one *silence) (analysis.Confidence, []string) {
	writers, all := p.Facts.Writers(analysis.Scope{Resource: resNodes})
	for _, w := range writers {
		if isNodeController(w.User.String()) {
			return analysis.Possible, []string{caveatElsewhere}
		}
	}
	if !all {
		return analysis.Possible, []string{caveatElsewhere}
	}
	if !one.returned {
		return analysis.Likely, []string{caveatUnmarked}
	}
	return analysis.Confirmed, nil
}

// reportMarks tells of a node that the node-controller calls NotReady although
// it beats.
func (s *State) reportMarks(p *analysis.Pass) {
	if s.Marked.Count() < max(1, p.Int(optMarks)) {
		return
	}
	refs := s.MarkLines.Refs()
	first, _ := s.Marked.First()
	last, _ := s.Marked.Last()
	p.Report(analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Likely, Count: s.Marked.Count(),
		Subject: analysis.Subject{Node: p.Key.Name}, First: first, Last: last,
		Title: fmt.Sprintf("the node-controller wrote the status of node %s %d times within %s, while its beats were regular",
			analysis.Plain(p.Key.Name), s.Marked.Count(), last.Sub(first).Round(time.Second)),
		Details: analysis.Details{
			"kind": "marked", "pattern": "marked-while-regular", "nodes": []string{p.Key.Name},
			"gapSeconds": 0.0, "recovery": "", "markedNotReady": true,
		},
		Evidence: analysis.Cite(refs[:min(len(refs), analysis.MaxEvidence)]...),
		Caveats:  []string{"the log does not tell what was written; a grace period close to the ten seconds between renewals looks like this"},
	})
}
