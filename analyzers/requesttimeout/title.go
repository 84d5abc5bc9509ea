package requesttimeout

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// counted is how many requests had which trouble.
type counted struct {
	timedOut, etcdOut, beyond, open int // by the server's fault
	own, left, unread               int // by the client's
	timeout                         time.Duration
}

func (t *trouble) title() string {
	c := t.client
	return title(t.subject.Who(), t.subject, counted{
		timedOut: int(c.TimedOut.N) + t.until + len(t.answered), etcdOut: int(c.EtcdOut.N), beyond: t.beyond, open: len(t.open),
		own: int(c.OwnOut.N), left: int(c.GaveUp.N), unread: int(c.Unread.N), timeout: t.timeout,
	})
}

// title says how many requests of whom, for what, had which trouble.
func title(who string, subject analysis.Subject, n counted) string {
	what := anyPath
	if subject.Resource != "" {
		what = subject.Kind()
	}
	server := parts([]part{
		{n.timedOut, "timed out"},
		{n.etcdOut, "failed because etcd timed out"},
		{n.beyond, fmt.Sprintf("were processed for longer than the timeout of %s", n.timeout)},
		{n.open, "never ended"},
	})
	own := parts([]part{
		{n.own, "ran into the client's own timeout"},
		{n.left, "were abandoned by the client"},
		{n.unread, "refused (400) for a ?timeout= that is no duration"},
	})
	if server != "" && own != "" {
		server += "; in addition, " // the finding's Count is of the server's faults only
	}
	return analysis.Plain(fmt.Sprintf("requests of %s for %s: %s%s", who, what, server, own))
}

// A part of a title says of how many requests what happened.
type part struct {
	n    int
	says string
}

// parts joins the parts that have any requests.
func parts(all []part) string {
	var texts []string
	for _, p := range all {
		if p.n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", p.n, p.says))
		}
	}
	return strings.Join(texts, ", ")
}
