package heartbeatgap

import (
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A Renewal is an update of the node's lease: the version of the lease that the
// kubelet sent is the one that its last renewal made, wherever that was heard.
type Renewal struct {
	Began audit.Time `json:"began,omitempty"`
	RV    uint64     `json:"rv,omitempty"`
}

func renewal(e *audit.Event) Renewal {
	rv, err := strconv.ParseUint(string(e.ObjectRV), 10, 64)
	if err != nil || e.Verb != audit.VerbUpdate {
		return Renewal{}
	}
	return Renewal{e.Began(), rv}
}

// Plus returns the earlier one.
func (r Renewal) Plus(o Renewal) Renewal {
	if o.RV == 0 || r.RV != 0 && (r.Began < o.Began || r.Began == o.Began && r.RV <= o.RV) {
		return r
	}
	return o
}

// What the version of the lease tells of a silence, that the kubelet sent when
// it came back.
type leaseTale int

const (
	untold leaseTale = iota
	stood            // nobody renewed it: the node was silent
	moved            // it was renewed meanwhile: another API server heard the node
)

// lease compares the version of the node's lease with those of the other
// leases: versions of all objects come from one counter. What was made when
// the silence began is overtaken, within a renewal or two, by what others send;
// what was made just before its end is not.
func (s *State) lease(p *analysis.Pass, one *silence) leaseTale {
	back := s.renewalAfter(one.to)
	if !one.returned || back.RV == 0 {
		return untold
	}
	period := s.period(p)
	from := one.from.Add(max(minRenewals, 2*period))
	to := one.to.Add(-period * 3 / 2)
	leases := analysis.Scope{Group: groupLease, Resource: resLeases}
	if rv, ok := p.Facts.NewestWithin(leases, one.from, one.from.Add(one.len()/2)); ok && rv > back.RV {
		return stood
	}
	if rv, ok := p.Facts.NewestWithin(leases, from, to); ok && rv < back.RV {
		return moved
	}
	return untold
}

// minRenewals is how long it takes others to send versions that were made
// after the silence began: leases are renewed every 10 s, or sooner.
const minRenewals = 15 * time.Second

// renewalAfter returns the first renewal at t or soon after, unless the lease
// or the node may have been made anew.
func (s *State) renewalAfter(t audit.Time) Renewal {
	if s.Registered.Overlapping(t, t.Add(time.Minute)) > 0 {
		return Renewal{}
	}
	for step, r := range s.Renewed.All() {
		if r.RV != 0 && step.To > t {
			if r.Began >= t && r.Began.Sub(t) <= time.Minute {
				return *r
			}
			break // the step has an earlier one: which was the first after t is not known
		}
	}
	return Renewal{}
}

// period returns the mean time between renewals, or status writes of a kubelet
// without a lease, silences left out.
func (s *State) period(p *analysis.Pass) time.Duration {
	beats := s.Renewals
	if beats == 0 {
		beats = s.Heart
	}
	return s.covered(p) / time.Duration(max(1, beats))
}

// arrived reports whether the node was first heard in the midst of its log,
// and did not register then: it ran before, and was heard elsewhere or not.
func (s *State) arrived(p *analysis.Pass) bool {
	first, _, ok := s.Pauses.Ends()
	if !ok {
		return false
	}
	from := first.Began()
	return from.Sub(p.Facts.LogSpan(first.Log()).First) > p.Duration(optGrace) &&
		s.Registered.Overlapping(from.Add(-time.Minute), from.Add(time.Minute)) == 0
}

// closed reports whether watches of the node ended, long before their time,
// when the silence began: the kubelet closed its connection, or somebody did
// for it. A host that dies can't.
func (s *State) closed(one *silence) bool {
	return s.Cut.Overlapping(one.from.Add(-minRenewals), one.from.Add(minRenewals)) > 0
}
