package throttling

import (
	"slices"

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
// wherever. The zero culprit is nobody: requests whose user is not known, as in an
// API server's own log, may be anybody's.
type culprit struct {
	user     audit.Sym
	requests int64
	share    float64 // of the requests of all clients
	among    bool    // the share is of the requests of those who were refused
}

// culprits finds and remembers who made the load: thousands of clients may be
// refused in one minute.
type culprits struct {
	refused []*analysis.Finding
	known   map[tally.Interval]culprit
}

// of returns who made the load of a minute: who fills the level of those who were
// refused, if that shows; else the busiest user, or one who was refused and made
// a comparable part of the requests.
func (c *culprits) of(m *minute) culprit {
	who, known := c.known[m.step]
	if !known {
		if who = c.amongRefused(m); who.requests == 0 {
			who = c.amongAll(m)
		}
		if all := float64(m.share.All); float64(who.requests) >= leastShare*all || !who.among {
			who.share, who.among = float64(who.requests)/max(1, all), false
		}
		c.known[m.step] = who
	}
	return who
}

// othersRefused counts what others were refused in a minute whose load its user
// made; it is 0 if another did.
func (c *culprits) othersRefused(m *minute) int64 {
	if who := c.of(m); who.requests == 0 || who.user != m.user {
		return 0
	}
	others := slices.DeleteFunc(slices.Clone(c.refused), func(f *analysis.Finding) bool { return f.Details[detailWorst].(minute).user == m.user })
	return refusedIn(others, m.step)
}

func (c *culprits) amongAll(m *minute) culprit {
	who := culprit{user: m.share.Top, requests: m.share.TopCount}
	if who.user == (audit.Sym{}) || float64(who.requests) < leastShare*float64(m.share.All) {
		return culprit{}
	}
	if victim := c.busiest(m); refusedWeight*victim.requests >= who.requests {
		return victim
	}
	return who
}

// busiest returns who made the most requests of those refused in a minute.
func (c *culprits) busiest(m *minute) culprit {
	var most culprit
	for _, f := range c.refused {
		user := f.Details[detailWorst].(minute).user
		if user == (audit.Sym{}) || f.First >= m.step.To || f.Last < m.step.From {
			continue
		}
		n := m.share.OfUser(user)
		if n > most.requests || n == most.requests && user.String() < most.user.String() {
			most = culprit{user: user, requests: n}
		}
	}
	return most
}

// amongRefused returns who made more than half of the requests of all who were
// refused in a minute, and was refused most itself. Those who are refused together share a
// priority level, and the one who fills it meets it full more often than
// anybody; how busy others are, who have room of their own, does not matter. Of
// one alone nothing can be said.
func (c *culprits) amongRefused(m *minute) culprit {
	refused, requests, all := map[audit.Sym]int64{}, map[audit.Sym]int64{}, int64(0)
	for _, f := range c.refused {
		if f.First >= m.step.To || f.Last < m.step.From {
			continue
		}
		user := f.Details[detailWorst].(minute).user
		if n := refusedIn([]*analysis.Finding{f}, m.step); n > 0 {
			refused[user] += n
			requests[user] = max(m.share.OfUser(user), refused[user])
		}
	}
	var who audit.Sym
	most := int64(0)
	for user, n := range refused {
		all += requests[user]
		if n > most || n == most && requests[user] > requests[who] {
			who, most = user, n
		}
	}
	busiest := culprit{user: who, requests: requests[who], share: float64(requests[who]) / float64(max(1, all)), among: true}
	if who == (audit.Sym{}) || len(requests) < 2 || busiest.share <= leastShare {
		return culprit{}
	}
	return busiest
}
