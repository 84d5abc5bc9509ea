package throttling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// The kinds of findings: details.kind.
const (
	kindRefused = "refused"
	kindQueued  = "queued"
)

const caveatShare = "there were too many clients to count all of this one's requests"

// Report reports the refused requests, or if there are none, those that waited
// long in a queue.
func (s *State) Report(p *analysis.Pass) {
	if p.Key.Kind == symUnready {
		s.reportUnready(p)
	} else if s.Refused.N > 0 {
		s.reportRefused(p)
	} else if s.Waits.Max() >= p.Duration(optQueueWait) && s.Waits.Count() > 0 {
		s.reportQueued(p)
	}
}

// judged is how many minutes are compared: those with the most refused requests.
const judged = 8

func (s *State) reportRefused(p *analysis.Pass) {
	worst := s.worst(p)
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Subject: s.subject(p),
		Count: int(s.Refused.N), First: s.Span.First, Last: s.Span.Last,
		Marks: s.marks(), Evidence: analysis.Cite(s.lines()...),
	}
	weigh(p, &f, &worst, worst.refused)
	if !worst.known {
		f.Caveats = append(f.Caveats, caveatShare)
	}
	late := int64(0)
	for _, m := range s.Minutes.All() {
		late += m.Late
	}
	f.Details = analysis.Details{
		"kind": kindRefused, "refused": f.Count, "share": round(worst.refusedShare()), "requests": worst.requests,
		"refusedLate": late, "addresses": s.IPs.Len(), "clients": []string{},
	}
	f.Details[detailWorst], f.Details[detailMinutes] = worst, &s.Minutes
	if s.Waits.Count() > 0 {
		f.Details["maxQueueSeconds"] = analysis.Seconds(s.Waits.Max())
	}
	f.Title = fmt.Sprintf("%s was refused %s (429) on %s: %s of its requests in the worst minute",
		client(p), analysis.Times(f.Count), what(p), worst.percent(worst.refusedShare()))
	p.Report(f)
}

// weigh makes a finding a warning if the refused requests are serious, or may be.
func weigh(p *analysis.Pass, f *analysis.Finding, worst *minute, refused int64) {
	switch surely := serious(p, refused, max(worst.requests, refused)); {
	case surely && worst.known:
		f.Severity = analysis.Warning
	case surely:
		f.Severity, f.Confidence = analysis.Warning, analysis.Likely
	case !worst.known && enough(p, refused):
		f.Severity, f.Confidence = analysis.Warning, analysis.Possible
	}
}

// serious reports whether so many of a minute's requests were refused that
// somebody's work is held up.
func serious(p *analysis.Pass, refused, requests int64) bool {
	return enough(p, refused) && float64(refused) >= p.Float(optShare)*float64(requests)
}

// enough reports whether the refused requests are as many as option refused says.
func enough(p *analysis.Pass, refused int64) bool { return refused >= int64(max(1, p.Int(optRefused))) }

func (s *State) reportQueued(p *analysis.Pass) {
	held := s.Waits.AtLeast(p.Duration(optQueueWait))
	var refs []audit.Ref
	for _, w := range s.Waited.Items {
		refs = append(refs, w.Ref)
	}
	p.Report(analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Subject: s.subject(p),
		Count: int(max(1, held)), First: s.Queued.First, Last: s.Queued.Last,
		Title: fmt.Sprintf("%s had %d requests on %s wait in a queue, for up to %s", client(p), max(1, held), what(p), s.Waits.Max().Round(time.Millisecond)),
		Details: analysis.Details{
			"kind": kindQueued, "refused": 0, "queued": int(max(1, held)), "maxQueueSeconds": analysis.Seconds(s.Waits.Max()),
			"clients": []string{}, "addresses": s.IPs.Len(),
		},
		Marks: s.marks(), Evidence: analysis.Cite(refs...),
	})
}

// worst returns the minute in which the largest share of the client's requests
// was refused, of the few minutes with the most refused requests.
func (s *State) worst(p *analysis.Pass) minute {
	type cell struct {
		step    tally.Interval
		refused int64
	}
	var cells []cell
	for step, m := range s.Minutes.All() {
		if m.Refused > 0 {
			cells = append(cells, cell{step, m.Refused})
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(b.refused, a.refused) })
	var worst minute
	least := int64(max(1, p.Int(optRefused)))
	for _, c := range cells[:min(len(cells), judged)] {
		m := newMinute(p, c.step, c.refused)
		if worst.refused == 0 || min(m.refused, least) > min(worst.refused, least) ||
			min(m.refused, least) == min(worst.refused, least) && m.refusedShare() > worst.refusedShare() {
			worst = m
		}
	}
	return worst
}

// subject is the client and resource, with the address if there is only one.
func (s *State) subject(p *analysis.Pass) analysis.Subject {
	subject := p.Key.Subject()
	if ips := s.IPs.Members(); len(ips) == 1 && s.IPs.Exact() {
		subject.SourceIP = ips[0]
	}
	return subject
}

func client(p *analysis.Pass) string {
	c := p.Key.Client()
	return c.Text()
}

func what(p *analysis.Pass) string {
	if p.Key.Resource == (audit.Sym{}) {
		return "paths without a resource"
	}
	return p.Key.ScopeText()
}

func (s *State) marks() []analysis.Mark {
	span := s.Span
	span.Merge(s.Queued)
	var all []analysis.Mark
	for step, m := range s.Minutes.All() {
		if n := max(m.Refused, m.Queued); n > 0 {
			all = append(all, analysis.Mark{Kind: "refused", From: max(step.From, span.First), To: min(step.To, max(span.Last, step.From)), N: int(n)})
		}
	}
	return analysis.Coarsen(all)
}

// lines returns the lines of the first refused requests and of those that waited
// longest.
func (s *State) lines() []audit.Ref {
	refs := slices.Clone(s.Refused.Refs[:min(len(s.Refused.Refs), 5)])
	for _, w := range s.Waited.Items {
		refs = append(refs, w.Ref)
	}
	return refs
}

func round(f float64) float64 { return math.Round(f*1000) / 1000 }

func percent(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) }
