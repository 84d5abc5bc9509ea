package throttling

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	// leastShare is what part of a minute's requests the busiest user must have
	// made for anybody to be named. In a healthy cluster somebody is the
	// busiest too, but no controller makes as many as all others together.
	leastShare = 0.5
	// refusedWeight is how many times a request counts of a user who was refused:
	// who was not has room of its own, and is less in the way.
	refusedWeight = 2
)

// A culprit is who made the load of a minute, under whatever agent and from
// wherever. The zero culprit is nobody.
type culprit struct {
	user     audit.Sym
	requests int64
	share    float64 // of the requests of all clients
}

// Plain names the user, for a title.
func (c *culprit) Plain() string {
	if c.user == (audit.Sym{}) {
		return "nobody known by name"
	}
	return analysis.Plain(c.user.String())
}

// culprits finds and remembers who made the load: thousands of clients may be
// refused in one minute.
type culprits struct {
	refused []*analysis.Finding
	known   map[tally.Interval]culprit
}

// of returns who made the load of a minute: the busiest user, or one who was
// refused and made a comparable part of the requests.
func (c *culprits) of(m *minute) culprit {
	if known, ok := c.known[m.step]; ok {
		return known
	}
	who := culprit{user: m.share.Top, requests: m.share.TopCount}
	if float64(who.requests) < leastShare*float64(m.share.All) {
		who = culprit{}
	} else if victim := c.busiest(m); refusedWeight*victim.requests >= who.requests {
		who = victim
	}
	who.share = float64(who.requests) / float64(max(1, m.share.All))
	c.known[m.step] = who
	return who
}

// busiest returns who made the most requests of those refused in a minute.
func (c *culprits) busiest(m *minute) culprit {
	var most culprit
	for _, f := range c.refused {
		if f.First >= m.step.To || f.Last < m.step.From {
			continue
		}
		user := f.Details[detailWorst].(minute).user
		n := m.share.OfUser(user)
		if n > most.requests || n == most.requests && user.String() < most.user.String() {
			most = culprit{user: user, requests: n}
		}
	}
	return most
}
