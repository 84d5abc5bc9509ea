package heartbeatgap

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A silence is a time without any sign of life of a node.
type silence struct {
	from, to audit.Time // to is the log's end if the node did not return
	returned bool
	already  bool        // the log begins in it
	last     *tally.Spot // before it, if it is known
	first    *tally.Spot // after it
	log      string      // that heard the last sign, if known
	behind   bool        // it follows a hole of that log

	ahead time.Duration // by how much the clock is ahead of the log that heard what ended it
}

func (s *silence) len() time.Duration { return s.to.Sub(s.from) - s.ahead }

// until returns when the request was answered that ended the silence, by which --since and
// --until go.
func (s *silence) until() audit.Time {
	if s.first == nil {
		return s.to
	}
	return max(s.to, s.first.Time)
}

// silences returns those that are long enough, in order of time. None begins
// before the log that heard the node: a watch that was opened before is in the
// log when it ends, and who was heard until then is not. Of one that the log
// begins in, the node-controller must have told, or the lease with which the node
// came back.
func (s *State) silences(p *analysis.Pass, enough lengths) []silence {
	var found []silence
	add := func(one silence) {
		begin := p.Facts.Span.First
		if one.log != "" {
			begin = p.Facts.LogSpan(one.log).First
		}
		heard := one.from != 0 // before
		if one.from < begin {
			one.from, one.already = begin, true
			heard = heard || s.lease(p, &one) == stood
		}
		sure := one.len()
		if !one.returned {
			sure -= p.Facts.Skew() // it may have been heard later, where the clock is behind
		}
		if sure >= enough.missed && s.marked(&one) || sure >= enough.limit && heard {
			found = append(found, one)
		}
	}
	if first, _, ok := s.Pauses.Ends(); ok {
		add(silence{to: first.Began(), returned: true, first: first, log: first.Log()})
	}
	step := s.Cover.Step()
	for _, gap := range s.Cover.Gaps(max(step, enough.missed-2*step)) {
		one := silence{from: gap.From, to: gap.To, returned: true}
		if pause := s.Pauses.At(gap); pause != nil {
			one.last, one.first = &pause.Before, &pause.After
			one.from, one.to, one.log = pause.Before.Began(), pause.After.Began(), pause.Before.Log()
			one.ahead = p.Facts.Ahead(pause.After.Log()) - p.Facts.Ahead(one.log)
		}
		add(one)
	}
	if _, last, ok := s.Pauses.Ends(); ok {
		add(silence{from: last.Began(), to: p.Facts.End(last.Log()), last: last, log: last.Log()})
	}
	return found
}

// lengths are how long a silence must be.
type lengths struct {
	limit  time.Duration // the grace period, or some of the node's own beats
	missed time.Duration // if the node-controller missed the node: it may have less patience
}

// lengths returns how long this node must be silent. The silences themselves do
// not count as beats.
func (s *State) lengths(p *analysis.Pass) lengths {
	grace, requests := p.Duration(optGrace), s.requests()
	if requests < 2 {
		return lengths{grace, grace}
	}
	beats := time.Duration(p.Int(optBeats)) * s.covered(p) / time.Duration(requests)
	limit := max(grace, beats)
	return lengths{limit, min(limit, max(beats, 2*s.period(p)))}
}

// requests returns how many requests of the node are in the log, whatever
// stages its policy leaves out.
func (s *State) requests() int64 {
	requests := int64(0)
	for _, n := range s.Events {
		requests = max(requests, n)
	}
	return requests
}

// covered returns how long the node was heard, without its silences.
func (s *State) covered(p *analysis.Pass) time.Duration {
	span, _ := s.Cover.Span()
	covered, quiet := span.Len(), s.Cover.Gaps(p.Duration(optGrace))
	if int64(len(quiet))*4 <= s.requests() { // else that is its rhythm
		for _, gap := range quiet {
			covered -= gap.Len()
		}
	}
	return covered
}

// unheard returns until when the silence may be the log's: it begins in a hole
// of the log that heard the node last, or so shortly before one that the node
// need not have missed a beat, or that log ends there before anybody missed the
// node. It is the silence's own begin if there is no such thing.
func (s *State) unheard(p *analysis.Pass, one *silence, limit time.Duration) audit.Time {
	if one.log == "" {
		if p.Facts.InHole(one.from, one.to) {
			return one.to
		}
		return one.from
	}
	if p.Facts.LogSpan(one.log).Last.Sub(one.from) < p.Duration(optGrace) && !s.marked(one) {
		return one.to
	}
	until := one.from
	for _, hole := range p.Facts.Holes(one.log) {
		if until <= hole.To && hole.From.Sub(until) < limit {
			until = min(hole.To, one.to)
		}
	}
	return until
}

// proven reports whether a silence of limit is the node's own. What a hole of
// the log covers does not count, unless another log went on and its
// node-controller missed the node.
func (s *State) proven(p *analysis.Pass, one *silence, limit time.Duration) bool {
	until := s.unheard(p, one, limit)
	if until == one.from || s.marked(one) && spokeElsewhere(p, one.log, one.from, until) {
		return true
	}
	one.from, one.behind = until, true
	return one.len() >= limit
}

// spokeElsewhere reports whether another log has something of this time, before
// its end: what stands there may be the beginning of the next log.
func spokeElsewhere(p *analysis.Pass, log string, from, to audit.Time) bool {
	before := to.Add(-stepMicros * time.Microsecond)
	for _, name := range p.Facts.LogNames() {
		if name != log && p.Facts.Spoke(name, from, before) {
			return true
		}
	}
	return false
}

// marked reports whether the node-controller missed the node.
func (s *State) marked(one *silence) bool { return s.Marked.Overlapping(one.from, one.to) > 0 }

// aside is how long after a silence the line may be written of the request that
// ended it.
const aside = 10 * time.Second

// deleted reports whether the node was deleted about then: it is gone for good.
func (s *State) deleted(one *silence) bool {
	return s.Deleted.Overlapping(one.from.Add(-time.Minute), one.to) > 0
}

// patched reports whether a node that fell silent was patched not long before,
// as draining does.
func patched(p *analysis.Pass, one *silence, writes *tally.Intervals) bool {
	return writes.Overlapping(one.from.Add(-p.Duration(optPlanned)), one.from) > 0
}

// recovery classes a silence by what ended it. The length of one that the log
// begins in, or that follows a hole, is not known, and says nothing.
func (s *State) recovery(one *silence) string {
	switch d := one.len(); {
	case !one.returned:
		return ""
	case s.Registered.Overlapping(one.to, one.to.Add(time.Minute)) > 0:
		return "restart"
	case one.already, one.behind:
		return "other"
	case d >= 14*time.Minute && d <= 18*time.Minute:
		return "tcp-timeout"
	case d >= 40*time.Second && d <= 55*time.Second:
		return "http2-health-check"
	}
	return "other"
}
