package requesttimeout

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxHalves is how many requests are looked at for a beginning and an end, in
// some 100 KiB.
const maxHalves = 1024

// Halves are what is known of the requests with the smallest hashes, to tell a log
// that lacks lines: it has ends without a beginning too, and a server that hangs
// does not make any.
type Halves struct {
	Kept []Half `json:"kept,omitempty"` // by hash
}

// A Half is the stages that the log has of one request.
type Half struct {
	Hash     uint64     `json:"hash"`
	Kind     uint64     `json:"kind"` // what a policy's rules choose by
	Received audit.Time `json:"received"`
	Log      string     `json:"log"`
	Began    bool       `json:"began,omitempty"`
	Ended    bool       `json:"ended,omitempty"`
}

func (h *Halves) observe(e *audit.Event) {
	chosen := tally.Mix(uint64(e.Received), hashSeed)
	if n := len(h.Kept); n == maxHalves && chosen>>32 > h.Kept[n-1].Hash>>32 {
		return // as nearly all of a long log
	}
	half := Half{Hash: hashOf(e, chosen, tally.Hash(e.Log)), Kind: kindOf(e), Received: e.Received, Log: e.Log}
	half.Began = e.Stage == audit.StageRequestReceived
	half.Ended = !half.Began
	h.add(half)
}

// kindOf hashes what the rules of a policy choose by: they may leave a stage out
// for some kinds of requests.
func kindOf(e *audit.Event) uint64 {
	kind := tally.Hash(e.Actor().String())
	for _, text := range []audit.Sym{e.Verb, e.Group, e.Resource, e.Subresource, e.Namespace} {
		kind = tally.Mix(kind, tally.Hash(text.String()))
	}
	return kind
}

func (h *Halves) add(half Half) {
	kept, at, _ := tally.Least(h.Kept, maxHalves, half.Hash, func(k *Half) uint64 { return k.Hash }, half)
	if h.Kept = kept; at != nil {
		at.Began, at.Ended = at.Began || half.Began, at.Ended || half.Ended
	}
}

func (h *Halves) merge(o *Halves) {
	for _, half := range o.Kept {
		h.add(half)
	}
}

// fewOrphans ends without a beginning may be of requests that were in work when
// something began.
const fewOrphans = 3

// lacking reports whether lines are missing in the log: of kinds of requests of
// which it has both stages, half as many lack their beginning as lack their end, or
// more. It returns how many lack one, of how many that were looked at.
func (h *Halves) lacking(p *analysis.Pass, timeout, patience time.Duration) (lack, of int, is bool) {
	type count struct{ whole, endless, orphans int }
	kinds := map[uint64]*count{}
	since := p.Facts.Chosen().First
	for i := range h.Kept {
		half := &h.Kept[i]
		at := tally.Interval{From: half.Received, To: half.Received}
		if half.Received < max(since, p.Facts.LogSpan(half.Log).First) || !overdue(p, half.Log, at, patience) || lost(p, half.Log, at, timeout) {
			continue
		}
		c := kinds[half.Kind]
		if c == nil {
			c = new(count)
			kinds[half.Kind] = c
		}
		switch {
		case half.Began && half.Ended:
			c.whole++
		case half.Began:
			c.endless++
		default:
			c.orphans++
		}
	}
	var sum count
	for _, c := range kinds {
		if c.whole > 0 {
			sum.whole, sum.endless, sum.orphans = sum.whole+c.whole, sum.endless+c.endless, sum.orphans+c.orphans
		}
	}
	lack = sum.endless + sum.orphans
	return lack, lack + sum.whole, sum.orphans >= fewOrphans && 2*sum.orphans >= sum.endless
}

// reportLacking tells of requests without end in a log that lacks lines, of which
// nobody can tell whether they ended.
func (u *unended) reportLacking(p *analysis.Pass, lack, of int) {
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Possible, Count: u.named, Subject: analysis.Subject{Resource: analysis.AnyResource},
		Title: fmt.Sprintf("%d requests have no end in this log, which lacks lines: of %d requests looked at, %d have no end or no beginning", u.named, of, lack),
		Details: analysis.Details{
			"timeouts": 0, "etcdTimeouts": 0, "overruns": 0, "unfinished": u.named, "unfinishedInAll": u.inAll, "ownTimeouts": 0,
			"clientAborts": 0, "maxSeconds": 0.0,
		},
		Caveats: []string{caveatLost},
	}
	var all []*begun
	for _, list := range u.of {
		all = append(all, list...)
	}
	slices.SortFunc(all, (*begun).compare)
	for _, b := range all[:min(len(all), analysis.MaxEvidence)] {
		f.Evidence = append(f.Evidence, analysis.Cite(b.ref())...)
	}
	f.First, f.Last = all[0].At, all[len(all)-1].At
	p.Report(f)
}
