package requesttimeout

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatGuess = "the log does not tell the API server's --request-timeout, and %s is assumed: with a longer one, the successful ones among these requests are healthy"
	caveatLost  = "a lost line, as with --audit-log-mode=batch, looks like a request that never ended"
	caveatOneIn = "one request in %.0f was looked at for its end; by the numbers of beginnings and ends, %d requests of all clients have none"
	caveatTwice = "some requests were logged twice under one audit ID, as by an API server and the aggregated one that it hands them to: they count once for each"
	caveatEtcd  = "etcd itself timed out: other clients that write to it or read from it are affected, too"
	caveatTold  = "%s no end in the audit log: that the client was answered 504 stands in the API server's own log (httplog), so the line was lost, or the handler hangs still"
	anyPath     = "paths without a resource"
)

// Report reports the timeouts by client and resource.
func (s *State) Report(p *analysis.Pass) {
	timeout, inferred := s.inferTimeout(p)
	unended := s.unended(p, timeout)
	if lack, of, lacks := s.Halves.lacking(p, timeout, patience(p, timeout)); lacks && unended.named > 0 {
		unended.reportLacking(p, lack, of)
		unended = noneUnended(&s.Requests)
	}
	for _, list := range unended.instants(max(1, p.Int(optRequests))) {
		unended.reportInstant(p, &s.Requests, list, timeout)
	}
	all, together := s.troubles(timeout, inferred, &unended), s.failed()
	for _, subject := range slices.SortedFunc(maps.Keys(all), analysis.Subject.Compare) {
		all[subject].report(p, together)
	}
}

// failed counts the requests of all clients that timed out, by minute (or by a longer
// step, in a long log).
func (s *State) failed() *tally.Cells[tally.Count] {
	all := &tally.Cells[tally.Count]{StepMicros: time.Minute.Microseconds(), Cap: keptCells}
	for _, row := range s.Clients.Rows {
		if row.Value != nil {
			for step, n := range row.Value.Failed.All() {
				all.Add(step.From, *n)
			}
		}
	}
	return all
}

// report reports the trouble, if there is enough: as a warning if enough requests timed
// out, of this client alone or of all at about the same time, else as information.
// together is what failed returns.
func (t *trouble) report(p *analysis.Pass, together *tally.Cells[tally.Count]) {
	c, serious := t.client, t.serious()
	asked := int(c.OwnOut.N + c.GaveUp.N)
	if serious == 0 && asked < max(1, p.Int(optGaveUp)) && c.Unread.N == 0 {
		return
	}
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: t.confidence(), Count: serious, Subject: t.subject,
		Details: analysis.Details{
			"timeouts": t.timeouts(), "etcdTimeouts": int(c.EtcdOut.N), "overruns": t.beyond, "unfinished": len(t.open), "unfinishedInAll": t.unended.inAll,
			"ownTimeouts": int(c.OwnOut.N), "clientAborts": int(c.GaveUp.N), "badTimeouts": int(c.Unread.N), "maxSeconds": t.longest().Seconds(),
			"timeoutSeconds": t.timeout.Seconds(), "timeoutInferred": t.inferred, "verbs": t.verbs(),
		},
		Evidence: t.evidence(), Marks: t.marks(), Caveats: t.caveats(),
	}
	if serious == 0 {
		f.Count = asked + int(c.Unread.N)
	}
	least := max(1, p.Int(optRequests))
	if serious >= least || len(t.open) > 0 && t.unended.inAll >= least || t.among(p, together) >= int64(least) {
		f.Severity = analysis.Warning
	}
	if f.Subject == (analysis.Subject{}) {
		f.Subject.Name = "/" // no name, no program, no address, no resource
	}
	f.First, f.Last = t.window()
	f.First = max(f.First, p.Facts.Span.First)
	f.Title = t.title()
	p.Report(f)
}

// confidence is Confirmed if the API server says itself what happened, or if its timeout
// is known.
func (t *trouble) confidence() analysis.Confidence {
	c := t.client
	switch {
	case c.TimedOut.N+c.EtcdOut.N > 0, len(t.answered) > 0, t.inferred && t.until+t.beyond > 0:
		return analysis.Confirmed
	case t.until+t.beyond+len(t.open) > 0:
		return analysis.Likely
	}
	return analysis.Confirmed
}

func (t *trouble) caveats() (caveats []string) {
	if t.until+t.beyond > 0 && !t.inferred {
		caveats = append(caveats, fmt.Sprintf(caveatGuess, t.timeout))
	}
	if t.client.EtcdOut.N > 0 {
		caveats = append(caveats, caveatEtcd)
	}
	if len(t.open) > 0 {
		caveats = append(caveats, caveatLost)
		if t.unended.share < 1 {
			caveats = append(caveats, fmt.Sprintf(caveatOneIn, 1/t.unended.share, t.unended.inAll))
		}
	}
	if n := len(t.answered); n > 0 {
		have := "1 request has"
		if n > 1 {
			have = fmt.Sprintf("%d requests have", n)
		}
		caveats = append(caveats, fmt.Sprintf(caveatTold, have))
	}
	if t.twice {
		caveats = append(caveats, caveatTwice)
	}
	return caveats
}

// evidence cites some requests of each kind, in turn.
func (t *trouble) evidence() []analysis.Evidence {
	lists := t.refs()
	var refs []audit.Ref
	for i := range analysis.MaxEvidence {
		for _, list := range lists {
			if i < len(list) && len(refs) < analysis.MaxEvidence {
				refs = append(refs, list[i])
			}
		}
	}
	return analysis.Cite(refs...)
}

// marks returns a mark for each request that is known one by one.
func (t *trouble) marks() []analysis.Mark {
	var marks []analysis.Mark
	for _, l := range t.outlived {
		marks = append(marks, analysis.Mark{Kind: "overrun", From: l.From, To: l.Ref.Time, N: 1})
	}
	for _, b := range t.open {
		// Nobody knows when it was given up; by then it should have been.
		marks = append(marks, analysis.Mark{Kind: "unfinished", From: b.Received, To: b.Received.Add(t.timeout), N: 1})
	}
	for _, l := range t.answered {
		marks = append(marks, analysis.Mark{Kind: "timeout", From: l.Ref.Time, To: l.Ref.Time, N: 1})
	}
	return analysis.Coarsen(append(marks, t.timeoutMarks()...))
}

// timeoutMarks marks the moments of the timeouts that the server told of, or the steps of
// time with their numbers if they are too many to be known one by one.
func (t *trouble) timeoutMarks() (marks []analysis.Mark) {
	c := t.client
	if c.TimedOut.N == int64(len(c.TimedOut.Refs)) && c.EtcdOut.N == int64(len(c.EtcdOut.Refs)) {
		for _, r := range slices.Concat(c.TimedOut.Refs, c.EtcdOut.Refs) {
			marks = append(marks, analysis.Mark{Kind: "timeout", From: r.Time, To: r.Time, N: 1})
		}
		return marks
	}
	span := c.Span
	for step, n := range t.client.Failed.All() {
		marks = append(marks, analysis.Mark{Kind: "timeout", From: max(step.From, span.First), To: min(step.To, span.Last), N: int(*n)})
	}
	return marks
}
