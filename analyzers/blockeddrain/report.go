package blockeddrain

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Details that group takes out again: what states of other kinds know, and what it needs of
// a pod.
const (
	detailDeleted = "deleted"
	detailNodes   = "nodes"
	detailUser    = "user"
	detailWait    = "wait"
	detailPod     = "pod"
)

const (
	caveatElsewhere = "there are API servers whose logs were not read: it may have been evicted or deleted there"
	caveatDeleted   = "more pods were deleted than are known by name: it may be among them"
	caveatSeldom    = "its client comes back now and then only, as those do that rebalance or resize pods"
)

// Report reports the longest wait of a pod, unless it was short; whether it is worth a
// warning is group's to say.
func (s *State) Report(p *analysis.Pass) {
	switch p.Key.Kind {
	case kindDeletion:
		s.tell(p, detailDeleted, &s.Deleted)
		return
	case kindNode:
		s.tell(p, detailNodes, s.Nodes.Items)
		return
	}
	long := s.longest()
	if long.n == 0 || long.Len() < p.Duration(optLeast) {
		return
	}
	p.Report(analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Count: int(long.n), First: long.First, Last: long.Last,
		Subject: analysis.Subject{Resource: resourcePods.String(), Subresource: subEviction.String(), Namespace: p.Key.Namespace.String(), Name: p.Key.Name},
		Marks:   analysis.Coarsen(long.marks), Evidence: analysis.Cite(long.decisive()...),
		Details: analysis.Details{
			"refused": int(long.n), "waitSeconds": math.Round(long.Len().Seconds()), "everySeconds": math.Round(every(long).Seconds()),
			"clients": analysis.PlainAll(s.Users.Members()), "budgets": analysis.PlainAll(s.Budgets.Members()),
			detailWait: long, detailPod: s,
		},
	})
}

// decisive returns the first lines of the wait, and the last that is kept.
func (w *wait) decisive() []audit.Ref {
	const first = 3
	if len(w.refs) <= first {
		return w.refs
	}
	return append(slices.Clone(w.refs[:first]), w.refs[len(w.refs)-1])
}

// every returns how long a client waited between two requests, on average.
func every(w wait) time.Duration { return w.Len() / time.Duration(max(1, w.n-1)) }

// tell hands group what a state knows.
func (s *State) tell(p *analysis.Pass, detail string, what any) {
	p.Report(analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Possible, Title: detail, Count: 1,
		Subject: analysis.Subject{Resource: analysis.AnyResource, User: p.Key.User.String()},
		Details: analysis.Details{detail: what, detailUser: p.Key.User.String()},
	})
}

// An end says how a wait ended.
type end int

const (
	open    end = iota // not before the log's end
	givenup            // the client came no more, and the pod stayed
	gone               // the pod was evicted or deleted after all
)

// endOf returns how the wait of a pod ended, and whether that is known.
func (o *others) endOf(p *analysis.Pass, f *analysis.Finding, w wait, s *State) (how end, known bool) {
	if s.evictedIn(w.First, math.MaxInt64) {
		return gone, true
	}
	known = true
	if o.deleted != nil {
		if last := o.deleted.Get(f.Subject.Namespace + "/" + f.Subject.Name); last != nil && audit.Time(*last) >= w.First {
			return gone, true
		}
		known = o.deleted.Exact()
	}
	// Who asks that often would have come back by now.
	if p.Facts.Span.Last.Sub(w.Last) > max(time.Minute, 3*every(w)) {
		return givenup, known
	}
	return open, known
}

// judge says how bad the wait of a pod was, and completes the finding.
func (o *others) judge(p *analysis.Pass, f *analysis.Finding) {
	w, s := f.Details[detailWait].(wait), f.Details[detailPod].(*State)
	delete(f.Details, detailWait)
	delete(f.Details, detailPod)
	how, known := o.endOf(p, f, w, s)
	f.Details["evicted"], f.Details["open"] = how == gone, how == open
	if insistent := every(w) <= p.Duration(optRetry); !insistent {
		f.Caveats = append(f.Caveats, caveatSeldom)
	} else if how != gone && w.Len() >= p.Duration(optLong) {
		f.Severity = analysis.Warning
		if !known {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatDeleted)
		} else if p.Facts.Partial() {
			f.Confidence = analysis.Likely
			f.Caveats = append(f.Caveats, caveatElsewhere)
		}
	}
	f.Details["pods"] = []string{analysis.Plain(f.Subject.Name)}
	if node := o.written(w, s); node != nil {
		f.Details["node"] = analysis.Plain(node.Name)
		f.Evidence = append(f.Evidence, analysis.Cite(node.Ref)...)
	}
	f.Title = title(f)
}

// title says what was refused, and how that ended.
func title(f *analysis.Finding) string {
	pods, _ := f.Details["pods"].([]string)
	what := analysis.Plain(f.Subject.Namespace) + "/" + pods[0]
	if len(pods) > 1 {
		what = fmt.Sprintf("%d pods in %s (%s)", len(pods), analysis.Plain(f.Subject.Namespace), analysis.FirstOf(2, pods))
	}
	clients, _ := f.Details["clients"].([]string)
	asked := analysis.FirstOf(1, clients) + " asked for"
	if node := f.Details.Text("node"); node != "" {
		asked += " after a write of node " + node
	}
	text := fmt.Sprintf("the eviction of %s, which %s, was refused %s within %s", what, asked, analysis.Times(f.Count), f.Last.Sub(f.First).Round(time.Second))
	if budgets, _ := f.Details["budgets"].([]string); len(budgets) > 0 {
		text += " by the disruption budget " + analysis.FirstOf(1, budgets)
	}
	switch {
	case f.Details["evicted"] == true && len(pods) > 1:
		return text + ", until they went"
	case f.Details["evicted"] == true:
		return text + ", until it went"
	case f.Details["open"] == true:
		return text + ", to the end of the log"
	}
	return text + ", until nobody asked any more"
}
