package blockeddrain

import (
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// others is what bears on evictions.
type others struct {
	deleted *tally.Table[Latest] // pods; nil if none was
	nodes   map[string][]Node    // by the user who wrote them
}

// justBefore is how long before the first refusal a node is written that is drained: it is
// cordoned or tainted, then its pods are looked up and evicted.
const justBefore = time.Minute

// written returns the last write of the node that the pod's evictors wrote just before the
// wait began, or nil if they wrote none, or several: whose pod it is can't be known then.
func (o *others) written(w wait, s *State) (last *Node) {
	for _, user := range s.Users.Members() {
		nodes := o.nodes[user]
		for i := range nodes {
			n := &nodes[i]
			if since := w.First.Sub(n.At); since < 0 || since > justBefore {
				continue
			}
			if last != nil && last.Name != n.Name {
				return nil
			}
			if last == nil || n.Compare(*last) < 0 {
				last = n
			}
		}
	}
	return last
}

// group judges the waits, and makes one finding of those of one budget at one time.
func group(p *analysis.Pass, findings []analysis.Finding) (all []analysis.Finding) {
	o := others{nodes: map[string][]Node{}}
	var waits []analysis.Finding
	for _, f := range findings {
		if deleted, is := f.Details[detailDeleted].(*tally.Table[Latest]); is {
			o.deleted = deleted
		} else if nodes, is := f.Details[detailNodes].([]Node); is {
			o.nodes[f.Details.Text(detailUser)] = nodes
		} else {
			waits = append(waits, f)
		}
	}
	alike := map[string][]analysis.Finding{}
	for _, f := range waits {
		o.judge(p, &f)
		like := cause(&f)
		alike[like] = append(alike[like], f)
	}
	for _, of := range alike {
		for _, members := range analysis.AtOneTime(of) {
			all = append(all, join(members))
		}
	}
	analysis.SortFindings(all)
	return all
}

// cause is what findings must have in common to be one.
func cause(f *analysis.Finding) string {
	clients, _ := f.Details["clients"].([]string)
	budgets, _ := f.Details["budgets"].([]string)
	parts := []string{f.Subject.Namespace, string(f.Severity), string(f.Confidence), f.Details.Text("node"), strings.Join(clients, "\x00"), strings.Join(budgets, "\x00")}
	if f.Details["evicted"] == true {
		parts = append(parts, "evicted")
	} else if f.Details["open"] == true {
		parts = append(parts, "open")
	}
	return strings.Join(parts, "\x01")
}

// maxPods is how many pods a finding names.
const maxPods = 16

// join makes one finding of several pods'.
func join(members []analysis.Finding) analysis.Finding {
	if len(members) == 1 {
		return members[0]
	}
	f := members[0]
	f.Subject.Name = ""
	f.Count, f.Marks, f.Evidence = 0, nil, nil
	wait, every := 0.0, f.Details.Float("everySeconds")
	var pods []string
	for _, m := range members {
		f.Count += m.Count
		f.First, f.Last = min(f.First, m.First), max(f.Last, m.Last)
		wait, every = max(wait, m.Details.Float("waitSeconds")), min(every, m.Details.Float("everySeconds"))
		pods = append(pods, analysis.Plain(m.Subject.Name))
		for _, mark := range m.Marks {
			mark.Label = analysis.Plain(m.Subject.Name)
			f.Marks = append(f.Marks, mark)
		}
		if len(f.Evidence) < analysis.MaxEvidence-1 {
			f.Evidence = append(f.Evidence, m.Evidence[0])
		}
	}
	if last := members[0].Evidence[len(members[0].Evidence)-1]; f.Details.Text("node") != "" {
		f.Evidence = append(f.Evidence, last) // the write of the node
	}
	slices.Sort(pods)
	f.Marks = analysis.Coarsen(f.Marks)
	f.Details["refused"], f.Details["waitSeconds"], f.Details["everySeconds"], f.Details["pods"] = f.Count, wait, every, pods
	f.Title = title(&f)
	f.Details["pods"] = pods[:min(len(pods), maxPods)]
	return f
}
