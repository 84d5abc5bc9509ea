package requesttimeout

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A trouble is all that went wrong with one client's requests for one resource.
type trouble struct {
	subject analysis.Subject
	client  *Client  // counts of ends; empty if no request ended
	open    []*begun // requests that never ended
	unended *unended // requests of all clients that never ended

	timeout  time.Duration // the API server's --request-timeout
	inferred bool          // the timeout is known from the log, not assumed

	until, beyond int    // requests that took about the timeout, or longer
	outlived      []life // some of these
	answered      []life // requests that timed out by the API server's own log (httplog) alone

	twice bool // another trouble has some of the requests too: see markTwice
}

// troubles returns the troubles of all clients and resources.
func (s *State) troubles(timeout time.Duration, inferred bool, unended *unended) map[analysis.Subject]*trouble {
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
	for _, t := range all {
		t.timeout, t.inferred, t.unended = timeout, inferred, unended
		t.until, t.beyond, t.outlived = t.client.outlived(timeout)
		t.add(unended.told[t.subject])
	}
	markTwice(all)
	return all
}

// add takes in requests whose ends are in the API server's own log only.
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

// markTwice marks troubles that share audit IDs. An API server that hands a request on to
// an aggregated one hands on its audit ID too, and the aggregated server logs the request
// with another address and another time of receipt.
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

// timeouts returns how many requests timed out.
func (t *trouble) timeouts() int {
	return int(t.client.TimedOut.N+t.client.EtcdOut.N) + t.until + len(t.answered)
}

// serious returns how many requests went wrong on the server's side.
func (t *trouble) serious() int { return t.timeouts() + t.beyond + len(t.open) }

// among returns the most requests of all clients that timed out within a window around
// one of this client's that did. together is what State.failed returns.
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

// refs returns lists of references, one for each kind of trouble, the server's faults
// first.
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

// window returns the time from the receipt of the first request that timed out, or the
// first event of another trouble, to the last event.
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

// longest returns the longest time that a request took which ended.
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

// verbs returns the verbs of the requests, sorted.
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
