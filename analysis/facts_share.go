package analysis

import (
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Share says how many requests each user made within a period of time. Of more clients
// than have their requests over time counted, it says of each whether that is known.
type Share struct {
	All      int64     // requests of all clients; if not Exact, of a somewhat longer time
	Exact    bool      // the requests of all clients are known
	Top      audit.Sym // the user who made most requests, with all programs, of those known
	TopCount int64     // the requests of Top

	byUser  map[audit.Sym]int64
	byAgent map[userAgent]int64
	// How many requests clients whose requests over time are not known made in all, which
	// were heard before or within the period, and after or within it.
	restOfUser  map[audit.Sym]int64
	restOfAgent map[userAgent]int64
	dropped     bool // there are clients of which nothing is known
}

type userAgent struct{ user, agent audit.Sym }

// Of returns how many requests a user made with a user agent, from all addresses. If that
// is not known, it returns the most that there may have been, as far as is known.
func (s *Share) Of(user, agent audit.Sym) (n int64, known bool) {
	of := userAgent{user, agent}
	rest := s.restOfAgent[of]
	return s.byAgent[of] + rest, rest == 0 && !s.dropped
}

// OfUser returns how many requests a user made. If that is not known, there may have been
// more.
func (s *Share) OfUser(user audit.Sym) (n int64, known bool) {
	return s.byUser[user], s.restOfUser[user] == 0 && !s.dropped
}

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
	if !all {
		f.addRest(s, from, to)
	}
	return s
}

// addRest adds what is known of clients whose requests over time are not.
func (f *Facts) addRest(s *Share, from, to audit.Time) {
	s.restOfUser, s.restOfAgent = map[audit.Sym]int64{}, map[userAgent]int64{}
	table := &f.Requests.Clients.Table
	s.dropped = !table.exact()
	for i := range table.rows {
		c, t := table.rows[i].key, table.rows[i].value
		if t.Minutes == nil && t.Heard.First <= to && from <= t.Heard.Last {
			s.restOfUser[c.User] += t.Requests
			s.restOfAgent[userAgent{c.User, c.UserAgent}] += t.Requests
		}
	}
	made := int64(0)
	for step, load := range f.Requests.Overview.Steps.All() {
		if step.From <= to && from < step.To {
			made += load.Requests
		}
	}
	s.All = max(s.All, made)
}
