package throttling

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A minute is one in which a client was refused, or a longer step of a long log.
type minute struct {
	step     tally.Interval
	refused  int64 // requests of this client on this resource
	requests int64 // all requests of this client, with the refused ones
	known    bool  // requests is exact; else it is the most that there may have been
	user     audit.Sym
	agent    audit.Sym
	share    *analysis.Share // of all clients in that minute
}

// newMinute returns a minute with the requests that the Facts counted in it.
func newMinute(p *analysis.Pass, step tally.Interval, refused int64) minute {
	share := p.Facts.SharesWithin(step.From, step.To-1)
	m := minute{step: step, refused: refused, user: p.Key.User, agent: p.Key.UserAgent, share: share}
	m.requests, m.known = share.Of(m.user, m.agent)
	m.known = m.known && m.requests >= refused
	m.requests = max(m.requests, refused)
	return m
}

// refusedShare returns the share of the client's requests that were refused: if it is not
// known, the least that it may have been.
func (m *minute) refusedShare() float64 { return float64(m.refused) / float64(max(1, m.requests)) }

// percent says a share of the client's requests in words.
func (m *minute) percent(share float64) string {
	if !m.known && share < 1 {
		return "at least " + percent(share)
	}
	return percent(share)
}
