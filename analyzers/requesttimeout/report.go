package requesttimeout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatGuess = "the log does not tell the API server's --request-timeout, and %s is assumed: with a longer one, requests that took longer and ended well are healthy"
	caveatLost  = "a line that was lost, such as with --audit-log-mode=batch, looks like a request without end"
	caveatOneIn = "one request in %.0f was looked at for its end; by the numbers of beginnings and ends, %d requests of all clients have none"
	caveatTwice = "some requests were logged twice under one audit ID, as by an API server and the aggregated one that it hands them to: they count once for each"
	caveatEtcd  = "etcd's time was up: other clients that write or read from it are hit as well"
	caveatTold  = "%s no end in the audit log: that the client was answered 504 stands in the API server's own log (httplog), so the line was lost, or the handler hangs still"
	anyPath     = "paths without a resource"
)

// A trouble is what one client and resource come to.
type trouble struct {
	subject analysis.Subject
	client  *Client // empty if all there is are requests without end
	open    []*begun
	unended *unended // of all clients

	timeout  time.Duration
	inferred bool

	until, beyond int
	outlived      []life
	answered      []life // 504, by the API server's own log alone

	twice bool // some of the requests are another trouble's too
}

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
	all := map[analysis.Subject]*trouble{}
	for _, row := range s.Clients.Rows {
		if c := row.Value; c != nil {
			all[c.Subject] = &trouble{subject: c.Subject, client: c}
		}
	}
	of := func(subject analysis.Subject) *trouble {
		if all[subject] == nil {
			all[subject] = &trouble{subject: subject, client: &Client{}}
		}
		return all[subject]
	}
	for subject, list := range unended.of {
		of(subject).open = list
	}
	for subject := range unended.told {
		of(subject)
	}
	together := s.failed()
	for _, t := range all {
		t.timeout, t.inferred, t.unended = timeout, inferred, &unended
		t.until, t.beyond, t.outlived = t.client.outlived(timeout)
		t.add(unended.told[t.subject])
	}
	markTwice(all)
	for _, subject := range slices.SortedFunc(maps.Keys(all), analysis.Subject.Compare) {
		all[subject].report(p, together)
	}
}

// add takes in requests that ended late by the API server's own log.
func (t *trouble) add(all []told) {
	for _, one := range all {
		switch {
		case one.timedOut:
			t.answered = append(t.answered, one.life)
			continue
		case one.Took <= t.timeout+slack:
			t.until++
		default:
			t.beyond++
		}
		t.outlived = append(t.outlived, one.life)
	}
	slices.SortFunc(t.outlived, life.Compare)
}

// markTwice marks the troubles that have requests with an audit ID in common. An
// API server that hands a request on hands on its ID, and the aggregated one logs
// it with another address and another receipt.
func markTwice(all map[analysis.Subject]*trouble) {
	times := map[string]int{}
	for _, t := range all {
		for _, ref := range slices.Concat(t.refs()...) {
			times[ref.AuditID]++
		}
	}
	for _, t := range all {
		t.twice = slices.ContainsFunc(slices.Concat(t.refs()...), func(ref audit.Ref) bool { return times[ref.AuditID] > 1 })
	}
}

// failed counts the requests of all clients that timed out, by minute.
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

func (t *trouble) timeouts() int {
	return int(t.client.TimedOut.N+t.client.EtcdOut.N) + t.until + len(t.answered)
}

// serious returns how many requests went wrong on the server's side.
func (t *trouble) serious() int { return t.timeouts() + t.beyond + len(t.open) }

// report reports a warning, or for information what is less.
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

// among returns how many requests of all clients timed out within a window of
// one of this client's that did.
func (t *trouble) among(p *analysis.Pass, together *tally.Cells[tally.Count]) (most int64) {
	window := p.Duration(optWindow)
	for mine := range t.client.Failed.All() {
		near, sum := tally.Interval{From: mine.From.Add(-window), To: mine.To.Add(window)}, int64(0)
		for step, n := range together.All() {
			if step.Within(near) {
				sum += int64(*n)
			}
		}
		most = max(most, sum)
	}
	return most
}

// confidence is confirmed where the API server says itself what happened, and
// where its timeout is known.
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
		caveats = append(caveats, fmt.Sprintf(caveatTold, map[bool]string{true: "1 request has", false: fmt.Sprintf("%d requests have", n)}[n == 1]))
	}
	if t.twice {
		caveats = append(caveats, caveatTwice)
	}
	return caveats
}

// refs are references to some of each kind, the server's faults first.
func (t *trouble) refs() [][]audit.Ref {
	c := t.client
	var outlived, open, answered []audit.Ref
	for _, l := range t.outlived {
		outlived = append(outlived, l.Ref)
	}
	for _, l := range t.answered[:min(len(t.answered), analysis.MaxEvidence)] {
		answered = append(answered, l.Ref)
	}
	for _, b := range t.open[:min(len(t.open), analysis.MaxEvidence)] {
		open = append(open, b.ref())
	}
	return [][]audit.Ref{outlived, open, answered, c.TimedOut.Refs, c.EtcdOut.Refs, c.GaveUp.Refs, c.OwnOut.Refs, c.Unread.Refs}
}

// evidence cites some of each kind.
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

// timeoutMarks are moments as long as these are few, and then steps of time.
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

// window is from the receipt of the first request that timed out, or the first
// line that tells of other trouble, to the last line.
func (t *trouble) window() (first, last audit.Time) {
	span := t.client.Span
	for _, l := range slices.Concat(t.outlived, t.answered) {
		span.Add(l.Ref.Time)
	}
	for _, b := range t.open {
		span.Add(b.At)
	}
	return span.First, span.Last
}

func (t *trouble) longest() time.Duration {
	longest := t.client.Max
	if len(t.outlived) > 0 {
		longest = max(longest, t.outlived[0].Took)
	}
	for _, l := range t.answered {
		longest = max(longest, l.Took)
	}
	return longest
}

func (t *trouble) verbs() []string {
	verbs := tally.Set{}
	verbs.Merge(&t.client.Verbs)
	for _, l := range slices.Concat(t.outlived, t.answered) {
		verbs.Add(l.Verb)
	}
	for _, b := range t.open {
		verbs.Add(b.Verb.String())
	}
	return verbs.Members()
}

// counted is how many requests went which way.
type counted struct {
	timedOut, etcdOut, beyond, open int // for the server's fault
	own, left, unread               int
	timeout                         time.Duration
}

func (t *trouble) title() string {
	c := t.client
	return title(t.subject.Who(), t.subject, counted{
		timedOut: int(c.TimedOut.N) + t.until + len(t.answered), etcdOut: int(c.EtcdOut.N), beyond: t.beyond, open: len(t.open),
		own: int(c.OwnOut.N), left: int(c.GaveUp.N), unread: int(c.Unread.N), timeout: t.timeout,
	})
}

func title(who string, subject analysis.Subject, n counted) string {
	what := anyPath
	if subject.Resource != "" {
		what = subject.Kind()
	}
	server := parts([]part{
		{n.timedOut, "timed out"},
		{n.etcdOut, "failed since etcd timed out"},
		{n.beyond, fmt.Sprintf("were worked on for longer than the timeout of %s", n.timeout)},
		{n.open, "never ended"},
	})
	own := parts([]part{
		{n.own, "ran into the client's own timeout"},
		{n.left, "were left by the client"},
		{n.unread, "refused (400) for a ?timeout= that is no time"},
	})
	if server != "" && own != "" {
		server += "; besides, " // these are not counted
	}
	return analysis.Plain(fmt.Sprintf("requests of %s for %s: %s%s", who, what, server, own))
}

// A part is how many requests went one way.
type part struct {
	n    int
	says string
}

func parts(all []part) string {
	var texts []string
	for _, p := range all {
		if p.n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", p.n, p.says))
		}
	}
	return strings.Join(texts, ", ")
}
