package throttling

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	// leastShare is the share of a minute's requests that a user must have made to
	// be named. Some user is the busiest in a healthy cluster as well, but none
	// makes as many requests as all others together.
	leastShare = 0.5
	// refusedWeight is how many times the requests of a user who was refused count.
	// A user who was not refused has a priority level with room to spare, and is
	// less likely to be the one who takes it from others.
	refusedWeight = 2
)

// A culprit is the user who made the load of a minute, whatever the user agent
// and address. The zero culprit is nobody.
type culprit struct {
	user     audit.Sym
	requests int64   // in that minute
	share    float64 // of the requests of all users
	among    bool    // share is of the requests of the refused users alone
}

// culprits finds who made the load of a minute, and remembers it: thousands of
// clients may be refused in the same minute.
type culprits struct {
	refused []*analysis.Finding
	known   map[tally.Interval]culprit
}

// of returns who made the load of a minute: the one who fills the priority level
// of those who were refused, if that shows; else the busiest user of all, or a
// refused one who made nearly as many requests. Requests without a known user, as
// in an API server's own log, may be anybody's and count for nobody.
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

// othersRefused returns how many requests of others were refused in a minute
// whose load its user made, or 0 if somebody else made it.
func (c *culprits) othersRefused(m *minute) int64 {
	if who := c.of(m); who.requests == 0 || who.user != m.user {
		return 0
	}
	others := slices.DeleteFunc(slices.Clone(c.refused), func(f *analysis.Finding) bool { return f.Details[detailWorst].(minute).user == m.user })
	return refusedIn(others, m.step)
}

// amongAll returns who made at least leastShare of all requests of a minute, or a
// refused user who made about as many.
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

// busiest returns the refused user who made the most requests in a minute.
func (c *culprits) busiest(m *minute) culprit {
	var most culprit
	for _, f := range c.refused {
		user := f.Details[detailWorst].(minute).user
		if user == (audit.Sym{}) || f.First >= m.step.To || f.Last < m.step.From {
			continue
		}
		n, _ := m.share.OfUser(user)
		if n > most.requests || n == most.requests && user.String() < most.user.String() {
			most = culprit{user: user, requests: n}
		}
	}
	return most
}

// amongRefused returns the user who was refused most in a minute, if that user
// also made more than half of the requests of all who were refused. Users who are
// refused together share a priority level, and the one who fills it finds it full
// most often. How busy the users of other levels are does not matter. If only one
// user was refused, or it is not known how many requests one of them made, this tells
// nothing, and the result is nobody.
func (c *culprits) amongRefused(m *minute) culprit {
	refused, requests, all := map[audit.Sym]int64{}, map[audit.Sym]int64{}, int64(0)
	for _, f := range c.refused {
		if f.First >= m.step.To || f.Last < m.step.From {
			continue
		}
		user := f.Details[detailWorst].(minute).user
		if n := refusedIn([]*analysis.Finding{f}, m.step); n > 0 {
			refused[user] += n
			made, known := m.share.OfUser(user)
			if !known {
				return culprit{}
			}
			requests[user] = max(made, refused[user])
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
