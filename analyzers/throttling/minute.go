package throttling

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A minute is one in which a client was refused.
type minute struct {
	step     tally.Interval
	refused  int64
	requests int64 // of this client, refused ones too
	known    bool  // all clients were counted
	user     audit.Sym
	agent    audit.Sym
	share    *analysis.Share // of all clients
}

// newMinute asks the Facts who made requests in that minute.
func newMinute(p *analysis.Pass, step tally.Interval, refused int64) minute {
	share := p.Facts.SharesWithin(step.From, step.To-1)
	m := minute{
		step: step, refused: refused, requests: share.Of(p.Key.User, p.Key.UserAgent),
		user: p.Key.User, agent: p.Key.UserAgent, share: share,
	}
	m.known = share.Exact && m.requests >= refused
	m.requests = max(m.requests, refused)
	return m
}

// refusedShare is how many of the client's requests were refused.
func (m *minute) refusedShare() float64 { return float64(m.refused) / float64(max(1, m.requests)) }
