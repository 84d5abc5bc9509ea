package watchstall

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Running are watches by the hash of what all stages of one share, the smallest
// hashes first: maxRuns of them at most.
type Running []Run

// A Run is a watch that has ended, as nearly all have, or one that has not.
type Run struct {
	Hash  uint64 `json:"hash"`
	Ended bool   `json:"ended,omitempty"`
	Open  *Open  `json:"open,omitempty"`
}

// at returns the watch with this hash, to be changed in place until the next
// call of any method, or nil if it is not followed.
func (r *Running) at(hash uint64) *Run {
	i, found := slices.BinarySearchFunc(*r, hash, func(run Run, hash uint64) int { return cmp.Compare(run.Hash, hash) })
	if !found {
		if i >= maxRuns {
			return nil
		}
		if *r == nil {
			*r = make(Running, 0, 4) // of 16 at most
		}
		*r = slices.Insert((*r)[:min(len(*r), maxRuns-1)], i, Run{Hash: hash})
	}
	return &(*r)[i]
}

func (r *Running) merge(o Running) {
	for _, theirs := range o {
		if mine := r.at(theirs.Hash); mine != nil {
			*mine = mine.Plus(theirs)
		}
	}
}

// An Open is what is known of a watch that has not ended. Asked is 0 if it
// asked for no time.
type Open struct {
	Asked time.Duration `json:"asked,omitempty"`
	RV    uint64        `json:"rv,omitempty"`
	Log   string        `json:"log"`
	First tally.Late    `json:"first"`
}

// Plus returns what is known of a watch from both.
func (r Run) Plus(o Run) Run {
	switch {
	case r.Ended || o.Ended:
		return Run{Hash: o.Hash, Ended: true}
	case r.Open == nil:
		return o
	case o.Open == nil || r.Open.First.Compare(&o.Open.First) <= 0:
		return r
	}
	return o
}

// maxRuns is how many watches of a scope are followed to their ends: those
// with the smallest hashes, if there are more.
const maxRuns = 16

// follow keeps a watch until it ends. It is named by what all of its stages
// share.
func (w *Watches) follow(e *audit.Event) {
	asked, _ := e.TimeoutSeconds()
	var room [24]byte
	run := w.Running.at(tally.HashBytes(strconv.AppendUint(room[:0], tally.RequestHash(e), 36)))
	switch {
	case run == nil || run.Ended:
	case e.Final():
		if run.Open != nil {
			w.spare = run.Open
		}
		run.Ended, run.Open = true, nil
	case run.Open == nil:
		rv, _ := e.ResourceVersion()
		run.Open = w.newOpen()
		*run.Open = Open{Asked: asked, RV: rv, Log: e.Log}
		run.Open.First.Set(e)
	case run.Open.First.CompareEvent(e) > 0:
		run.Open.First.Set(e)
		run.Open.Log = e.Log
	}
}

// newOpen returns an Open to fill, that of a watch that has ended if there is one.
func (w *Watches) newOpen() *Open {
	if open := w.spare; open != nil {
		w.spare = nil
		return open
	}
	return new(Open)
}

// stillOpen returns the watches that should have ended and had not when their
// log did, although their client was heard after that. Those that asked for no
// time must end within limit; they are told apart.
func (w *Watches) stillOpen(f *analysis.Facts, heard audit.Time, limit time.Duration) (late, endless []Late) {
	if !f.WatchesTrusted() {
		return nil, nil
	}
	for i := range w.Running {
		r := w.Running[i].Open
		if r == nil {
			continue
		}
		from, end := r.First.Received, r.until(f)
		switch {
		case r.Asked > 0 && open(from.Add(r.Asked), end, heard):
			late = append(late, Late{end.Sub(from) - r.Asked, r.Asked, r.First.Ref(), from, w.wentOn(r)})
		case r.Asked == 0 && open(from.Add(limit), end, heard):
			endless = append(endless, Late{end.Sub(from), 0, r.First.Ref(), from, false})
		}
	}
	slices.SortFunc(late, Late.Compare)
	slices.SortFunc(endless, Late.Compare)
	return late, endless
}

// A Newest is the highest version that watches began from, and when one did for
// the first time.
type Newest struct {
	RV uint64     `json:"rv,omitempty"`
	At audit.Time `json:"at,omitempty"`
}

// Plus returns the newer of both.
func (n Newest) Plus(o Newest) Newest {
	if o.RV > n.RV || o.RV == n.RV && o.At < n.At {
		return o
	}
	return n
}

// wentOn reports whether the client watched the scope from a later version when
// the watch was due: it had read until then, and its end may be a line that was
// lost. So may be another reader of the same program.
func (w *Watches) wentOn(r *Open) bool {
	return w.Newest.RV > r.RV && w.Newest.At.Sub(r.First.Received) >= r.Asked
}

// open reports whether a watch was open for long after it was due, in a log
// that goes on to end.
func open(due, end, heard audit.Time) bool {
	return end.Sub(due) > unendedGrace && heard.Sub(due) > grace
}

// until returns when the log of a watch without an end ends. Of one that its
// API server took with it no end is written, and one may be lost in a hole.
func (r *Open) until(f *analysis.Facts) audit.Time {
	end := f.LogSpan(r.Log).Last
	for _, start := range f.Starts(r.Log) {
		if start > r.First.Received {
			end = min(end, start)
		}
	}
	for _, hole := range f.Holes(r.Log) {
		if hole.To > r.First.Received {
			end = min(end, hole.From)
		}
	}
	return end
}

// unendedGrace is how long after its time a watch without an end may be open:
// lines are written late in an overloaded server, and a killed one's last
// seconds are lost in batch mode (30 s by default).
const unendedGrace = 30 * time.Second

// A proof is how well it is known that ends of a client's watches are written.
type proof int

const (
	noProof     proof = iota // the log may have no ends, or none of this client
	lossy                    // some of its own end, but ends of others are missing all the time
	ofOthers                 // other clients' watches end, but for a few
	allOfOthers              // and none of these has no end
	ofItsOwn                 // others of the client's own end
)

// others is how many watches of other clients tell whether ends are written.
const others = 10

// proofOf returns what is known of the ends of the client's watches; ends is how
// many of its own there are.
func proofOf(p *analysis.Pass, ends int64) proof {
	missed, of := p.Facts.WatchEnds(p.Key.Client())
	many := of >= others && 20*missed > of
	switch {
	case ends > 0 && many:
		return lossy
	case ends > 0:
		return ofItsOwn
	case of < others || many:
		return noProof
	case missed > 0:
		return ofOthers
	}
	return allOfOthers
}

// judge says how sure it is of watches without an end, given how many of the
// client are overdue: one line may be lost where others were, several are not.
func (have proof) judge(f *analysis.Finding, ofClient, many int) {
	f.Caveats = append(f.Caveats, caveatOpen)
	switch have {
	case lossy:
		f.Confidence = analysis.Possible
		f.Caveats = append(f.Caveats, caveatLossy)
	case ofOthers, allOfOthers:
		f.Caveats = append(f.Caveats, caveatOthers)
		if have == ofOthers && ofClient < many {
			f.Confidence = analysis.Possible
		}
	}
}

const caveatLossy = "ends of other clients' watches are missing too, more than one in twenty: lines were lost"

const caveatOthers = "that ends are written is known of other clients' watches: none of this client's has one"

const (
	caveatOpen   = "no end of them is in the log, and a line that was lost looks the same"
	caveatWentOn = "the client went on from a later version since: the lines of their ends may be lost"
)

// joinLate puts what is most overdue first.
func joinLate(a, b []Late) []Late {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Late) int { return cmp.Or(cmp.Compare(b.Over, a.Over), a.Ref.Compare(b.Ref)) })
	return all
}
