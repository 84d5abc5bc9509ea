package analysis

import (
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Share says how many requests each user made within a period of time.
type Share struct {
	All      int64     // requests of all clients
	Exact    bool      // there were few enough clients to count the requests of all
	Top      audit.Sym // the user who made most requests, with all programs
	TopCount int64     // the requests of Top

	byUser  map[audit.Sym]int64
	byAgent map[userAgent]int64
}

type userAgent struct{ user, agent audit.Sym }

// Of returns how many requests a user made with a user agent, from all addresses.
func (s *Share) Of(user, agent audit.Sym) int64 { return s.byAgent[userAgent{user, agent}] }

// OfUser returns how many requests a user made.
func (s *Share) OfUser(user audit.Sym) int64 { return s.byUser[user] }

// SharesWithin returns how many requests each user made in the minutes that [from, to]
// touches. See ClientsWithin.
func (f *Facts) SharesWithin(from, to audit.Time) *Share {
	// Thousands of clients may be refused in one minute, and each state asks about it.
	return f.shares.get(f, tally.Interval{From: from, To: to}, func() *Share { return f.sharesWithin(from, to) })
}

func (f *Facts) sharesWithin(from, to audit.Time) *Share {
	const everyone = 1 << 30
	clients, all := f.ClientsWithin(from, to, everyone)
	s := &Share{Exact: all, byUser: map[audit.Sym]int64{}, byAgent: map[userAgent]int64{}}
	for _, c := range clients {
		s.All += c.Requests
		s.byUser[c.Client.User] += c.Requests
		s.byAgent[userAgent{c.Client.User, c.Client.UserAgent}] += c.Requests
	}
	for user, n := range s.byUser {
		if n > s.TopCount || n == s.TopCount && user.String() < s.Top.String() {
			s.Top, s.TopCount = user, n
		}
	}
	return s
}
