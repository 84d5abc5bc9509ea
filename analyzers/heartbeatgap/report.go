package heartbeatgap

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Details that states set for group only, which does not keep them.
const (
	// Of a finding that only says that the node's heartbeats are in the log:
	detailAlive   = "alive"
	detailManaged = "managed" // the node-controller wrote the node

	// Of a finding that only holds pods of all nodes:
	detailEvicted = "evicted" // pods that were deleted because of their nodes
	detailDrained = "drained" // pods that somebody evicted

	// Of a silence:
	detailIPs     = "ips"     // addresses that the node was heard from
	detailPods    = "pods"    // the node's pods
	detailBeat    = "beat"    // the time from one heartbeat to the next, as a rule
	detailPlan    = "planned" // a person patched the node shortly before
	detailSteered = "steered" // a program patched the node shortly before
	detailDoubt   = "doubt"   // the node was not marked, and nothing else proves the silence
	detailUnheard = "unheard" // the log has no heartbeat of the node
	detailGlimpse = "glimpse" // the log has other requests of an unheard node
)

const (
	detailAlready = "already" // the log begins within the silence
	detailBehind  = "behind"  // the silence follows a hole of the log, and may be longer
)

// patternElsewhere is the pattern of a silence in this log only: another API server heard
// the node meanwhile.
const patternElsewhere = "elsewhere"

// Report reports each silence of the node.
func (s *State) Report(p *analysis.Pass) {
	if p.Key.Kind == kindEvictions {
		p.Report(analysis.Finding{Details: analysis.Details{detailEvicted: &s.Evicted, detailDrained: &s.Drained}})
		return
	}
	if s.selected(p).Empty() {
		return
	}
	regular, missed := s.Heart >= int64(max(1, p.Int(optRhythm))), s.Marked.Count() > 0
	switch {
	case missed && s.Heart == 0:
		s.reportUnheard(p)
		return
	case !regular && !missed: // too few heartbeats, as in an excerpt
		return
	}
	subject := analysis.Subject{Node: p.Key.Name}
	p.Report(analysis.Finding{Subject: subject, Details: analysis.Details{
		detailAlive: true, detailManaged: s.Marked.Count()+s.Tainted.Count() > 0, detailIPs: s.IPs.Members(),
	}})
	enough := s.lengths(p)
	silences := s.silences(p, enough)
	if s.flaps(p, silences) {
		silences = slices.DeleteFunc(silences, func(one silence) bool { return one.len() < enough.limit })
	}
	for i := range silences {
		if one := &silences[i]; !s.deleted(one) && s.chosen(p, one.from, one.until()) {
			s.reportSilence(p, one, enough, regular)
		}
	}
	if failing := s.reportFailing(p, silences); !failing && len(silences) == 0 {
		s.reportMarks(p)
	}
}

// flaps reports whether the node-controller marked the node again and again while it sent
// heartbeats.
func (s *State) flaps(p *analysis.Pass, silences []silence) bool {
	marks := s.Marked.Count()
	for i := range silences {
		marks -= s.Marked.Overlapping(silences[i].from, silences[i].to)
	}
	return marks >= max(1, p.Int(optMarks))
}

// reportUnheard reports a node that the node-controller marked, and of which the log has no
// heartbeats: it was silent before the log began, or talks to an API server whose log was
// not read, or the audit policy leaves heartbeats out.
func (s *State) reportUnheard(p *analysis.Pass) {
	one := silence{from: p.Facts.Span.First, to: p.Facts.Span.Last, already: true}
	if s.deleted(&one) || !s.chosen(p, one.from, one.to) {
		return
	}
	f := s.finding(p, &one)
	f.Confidence, f.Caveats, f.Details[detailUnheard] = analysis.Possible, []string{caveatUnheard}, true
	f.Details[detailMissed], f.Details[detailGlimpse] = s.misses(p), s.requests() > 0
	p.Report(f)
}

// beat returns the time from one heartbeat to the next, two grace periods at most; 0 if the
// node was not heard.
func (s *State) beat(p *analysis.Pass) time.Duration {
	if s.requests() == 0 {
		return 0
	}
	return min(s.period(p), 2*p.Duration(optGrace))
}

func (s *State) reportSilence(p *analysis.Pass, one *silence, enough lengths, regular bool) {
	tale, marked := s.lease(p, one), s.marked(one)
	switch {
	case tale == moved && !marked && regular:
		f := s.finding(p, one)
		f.Confidence, f.Caveats, f.Details["pattern"] = analysis.Confirmed, nil, patternElsewhere
		f.Marks[0].Kind = patternElsewhere
		p.Report(f)
	case !s.proven(p, one, enough.missed):
	case !regular && !marked: // too few beats to know its rhythm, and nobody missed it
	default:
		f := s.finding(p, one)
		if !marked {
			f.Confidence, f.Caveats = s.unmarked(p, one, tale)
			f.Details[detailDoubt] = tale != stood
		}
		p.Report(f)
	}
}

// selected returns what --since and --until left in. A node that was heard last
// before that has nothing there, but its silence has.
func (s *State) selected(p *analysis.Pass) tally.Span {
	chosen := p.Facts.Chosen()
	if _, last, ok := s.Pauses.Ends(); ok && s.Selected.Empty() && last.Time < chosen.First {
		return chosen
	}
	return s.Selected
}

// chosen reports whether a time touches what --since and --until left in.
func (s *State) chosen(p *analysis.Pass, from, to audit.Time) bool {
	selected := s.selected(p)
	return !selected.Empty() && from <= selected.Last && selected.First <= to
}

func (s *State) finding(p *analysis.Pass, one *silence) analysis.Finding {
	f := analysis.Finding{
		Severity: analysis.Critical, Confidence: analysis.Confirmed, Count: 1,
		Subject: analysis.Subject{Node: p.Key.Name}, First: one.from, Last: one.to,
		Details: analysis.Details{
			"gapSeconds":     one.len().Seconds(),
			"pattern":        "one-node",
			"recovery":       s.recovery(one),
			"markedNotReady": s.marked(one),
			"tainted":        s.Tainted.Overlapping(one.from, one.to) > 0,
			detailIPs:        s.IPs.Members(),
			detailPods:       s.Pods,
			detailPlan:       patched(p, one, &s.Patched),
			detailSteered:    patched(p, one, &s.Steered),
			detailAlready:    one.already,
			detailBehind:     one.behind,
			detailBeat:       s.beat(p),
			detailHeard:      s.hears(s.lengths(p)),
		},
		Marks: []analysis.Mark{{Kind: markGap, From: one.from, To: one.to, N: 1, Label: p.Key.Name}},
	}
	if !one.returned {
		f.Details["pattern"] = "never-returned"
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
	for _, ref := range refs {
		f.First = min(f.First, ref.Time)
		if ref.Time.Sub(one.to) <= aside { // a request is answered soon after it was heard, a watch ends when it will
			f.Last = max(f.Last, ref.Time)
		}
	}
	f.Evidence = analysis.Cite(refs...)
	return f
}

const (
	caveatUnheard   = "the log never heard the node: it may have returned at an API server whose log is not here"
	caveatElsewhere = "the controller-manager, whose writes are in the log, did not mark it: the kubelet may talk to an API server whose log is not here"
	caveatUnmarked  = "no writes of a controller-manager are in the log: whether it missed the beats too is not known"
	caveatServers   = "another API server serves this cluster, whose log is not here: the kubelet may talk to that one"
	caveatArrived   = "the kubelet ran already when this log heard it first: it may talk to another API server, whose log is not here, at other times"
	caveatBehind    = "the log that heard it last has a hole before that: the kubelet may have gone to another API server, whose log is not here"
	caveatClosed    = "its watches ended when it fell silent, so its connection was closed: the kubelet was stopped, or went on with another API server, whose log is not here"
)

// unmarked weighs a silence that the node-controller did not answer.
func (s *State) unmarked(p *analysis.Pass, one *silence, tale leaseTale) (analysis.Confidence, []string) {
	switch {
	case tale == stood:
		return analysis.Confirmed, nil
	case managed(p):
		return analysis.Possible, []string{caveatElsewhere}
	case one.behind:
		return analysis.Possible, []string{caveatBehind, caveatUnmarked}
	case p.Facts.Partial():
		return analysis.Possible, []string{caveatServers, caveatUnmarked}
	case s.arrived(p):
		return analysis.Possible, []string{caveatArrived, caveatUnmarked}
	case !one.returned && s.closed(one) && len(p.Facts.LogNames()) == 1: // else there are logs of others
		return analysis.Possible, []string{caveatClosed, caveatUnmarked}
	}
	return analysis.Likely, []string{caveatUnmarked}
}

// managed reports whether the leading controller-manager, of which the
// node-controller is a part, renews its leader lease at an API server whose
// log is here.
func managed(p *analysis.Pass) bool {
	writers, _ := p.Facts.Writers(analysis.Scope{Group: groupLease, Resource: resLeases, Namespace: nsSystem})
	return slices.ContainsFunc(writers, func(w analysis.Client) bool { return w.User.String() == managerUser })
}

// reportMarks tells of a node that the node-controller calls NotReady although
// it beats: that is the controller's trouble, and becomes the node's when it is
// tainted. What --since and --until leave out is not told of.
func (s *State) reportMarks(p *analysis.Pass) {
	chosen := s.selected(p)
	marks := s.Marked.Overlapping(chosen.First, chosen.Last)
	refs := slices.DeleteFunc(s.MarkLines.Refs(), func(r audit.Ref) bool { return !chosen.Interval().Holds(r.Time) })
	if marks < max(1, p.Int(optMarks)) || len(refs) == 0 {
		return
	}
	first, _ := s.Marked.First()
	if first < chosen.First {
		first = refs[0].Time
	}
	last, _ := s.Marked.LastEndingBefore(chosen.Last)
	severity, taints := analysis.Info, s.Tainted.Overlapping(first, last.Add(aside))
	if taints > 0 {
		severity = analysis.Warning
	}
	p.Report(analysis.Finding{
		Severity: severity, Confidence: analysis.Likely, Count: marks,
		Subject: analysis.Subject{Node: p.Key.Name}, First: first, Last: last,
		Title: fmt.Sprintf("the node-controller wrote the status of node %s %d times within %s, while its beats were regular",
			analysis.Plain(p.Key.Name), marks, last.Sub(first).Round(time.Second)),
		Details: analysis.Details{
			"kind": "marked", "pattern": "marked-while-regular", "nodes": []string{p.Key.Name},
			"gapSeconds": 0.0, "recovery": "", "markedNotReady": 1, "tainted": min(taints, 1),
		},
		Evidence: analysis.CiteFirst(refs),
		Marks:    append(s.hears(s.lengths(p)).marks(p.Key.Name, toldPauses+1), statusMarks(p.Key.Name, refs)...),
		Caveats:  []string{"the log does not tell what was written; a grace period close to the ten seconds between renewals looks like this"},
	})
}
