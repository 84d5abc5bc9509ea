package throttling

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// A minute is one in which a client was refused.
type minute struct {
	step     tally.Interval
	refused  int64
	requests int64 // of this client, refused ones too
	all      int64 // of all clients
	known    bool  // all clients were counted
	pressure user
}

// A user is who made requests, under whatever agent and from wherever.
type user struct {
	name     string
	requests int64
}

// Plain names the user, for a title.
func (u user) Plain() string {
	if u.name == "" {
		return "nobody known by name"
	}
	return analysis.Plain(u.name)
}

// newMinute asks the Facts who made requests in that minute.
func newMinute(p *analysis.Pass, step tally.Interval, refused int64) minute {
	share := p.Facts.SharesWithin(step.From, step.To-1)
	m := minute{
		step: step, refused: refused, all: share.All, requests: share.Of(p.Key.User, p.Key.UserAgent),
		pressure: user{share.Top.String(), share.TopCount},
	}
	m.known = share.Exact && m.requests >= refused
	m.requests = max(m.requests, refused)
	m.all = max(m.all, refused)
	return m
}

// share is how many of the client's requests were refused.
func (m *minute) share() float64 { return float64(m.refused) / float64(max(1, m.requests)) }

// pressureShare is how many of all requests the most active user made.
func (m *minute) pressureShare() float64 {
	return float64(m.pressure.requests) / float64(max(1, m.all))
}
