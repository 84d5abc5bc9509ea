package hijackedlatency

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// group looks for sessions that were cut at one length: by client over all its
// subresources, since a proxy or load balancer cuts whatever is idle, and over
// all clients for sessions that no command ends. It then drops findings that have
// nothing to tell.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	type client struct{ user, ip string }
	clients := map[client][]*analysis.Finding{}
	for i := range findings {
		f := &findings[i]
		if f.Details.Text("kind") != kindDead {
			c := client{f.Subject.User, f.Subject.SourceIP}
			clients[c] = append(clients[c], f)
		}
	}
	forwards := map[client]time.Duration{} // clients whose port-forwards were cut, and the length
	for c, sessions := range clients {
		length, n := cutLength(p, sessions)
		if n > 0 && slices.ContainsFunc(sessions, func(f *analysis.Finding) bool { return isForward(f) && sharing(p, f, length) > 0 }) {
			forwards[c] = length
		}
	}
	var open []*analysis.Finding // without a command, of clients with too few sessions of one length
	for c, sessions := range clients {
		length, n := cutLength(p, sessions)
		if n == 0 {
			open = append(open, withoutCommand(sessions)...)
			continue
		}
		alike := varied(p, sessions, length)
		for o, at := range forwards {
			_, mine := forwards[c]
			alike = alike || mine && o.user != c.user && nearly(p, at, length)
		}
		for _, f := range sessions {
			markCut(p, f, length, n, alike, "of this client")
		}
	}
	if length, n := cutLength(p, open); n > 0 && usersOf(p, open, length) > 1 {
		for _, f := range open {
			markCut(p, f, length, n, true, "of all clients")
		}
	}
	return slices.DeleteFunc(findings, func(f analysis.Finding) bool { return f.Count == 0 })
}

// withoutCommand returns the findings with sessions at a terminal and with
// port-forwards. A person ends these when the work is done, so it is no chance if
// several last equally long.
func withoutCommand(sessions []*analysis.Finding) []*analysis.Finding {
	return slices.DeleteFunc(slices.Clone(sessions), func(f *analysis.Finding) bool { return f.Details.Int("interactive") == 0 && !isForward(f) })
}

// usersOf returns how many users had sessions of this length.
func usersOf(p *analysis.Pass, sessions []*analysis.Finding, length time.Duration) int {
	users := map[string]bool{}
	for _, f := range sessions {
		if sharing(p, f, length) > 0 {
			users[f.Subject.User] = true
		}
	}
	return len(users)
}

// cutLength returns the length that the most sessions share, and how many do; 0
// and 0 if they are too few. They must be at least half of all sessions that
// lived as long or longer: a proxy cuts idle sessions only, but a length that few
// of them share is chance.
func cutLength(p *analysis.Pass, sessions []*analysis.Finding) (length time.Duration, n int) {
	lived := lengths(p, sessions)
	spread := p.Float(optCutSpread)
	from := 0
	for i := range lived {
		for lived[i]-lived[from] > max(time.Second, time.Duration(spread*float64(lived[from]))) {
			from++
		}
		if i-from+1 > n {
			length, n = lived[from], i-from+1
		}
	}
	longer := 0
	for _, l := range lived {
		if l >= length {
			longer++
		}
	}
	if n < p.Int(optCutSessions) || 2*n < longer {
		return 0, 0
	}
	return length, n
}

// lengths returns how long those sessions lived that have an end in the log and
// lasted cut-min or longer, in ascending order.
func lengths(p *analysis.Pass, sessions []*analysis.Finding) []time.Duration {
	var lived []time.Duration
	for _, f := range sessions {
		for _, m := range f.Marks {
			if d := m.To.Sub(m.From); m.Kind == "session" && m.N == 1 && d >= p.Duration(optCutMin) {
				lived = append(lived, d)
			}
		}
	}
	slices.Sort(lived)
	return lived
}

func isForward(f *analysis.Finding) bool {
	return f.Subject.Subresource == audit.SubPortForward.String()
}

// nearly reports whether two lengths are the same, within cut-spread.
func nearly(p *analysis.Pass, a, b time.Duration) bool {
	return max(a, b)-min(a, b) <= max(time.Second, time.Duration(p.Float(optCutSpread)*float64(min(a, b))))
}

// varied reports whether a client's sessions of one length can't all be one
// command that always takes as long: they are of several subresources, had a
// terminal, or are port-forwards to several targets, which have no command.
func varied(p *analysis.Pass, sessions []*analysis.Finding, length time.Duration) bool {
	subresources, forwarded := map[string]bool{}, 0
	for _, f := range sessions {
		if sharing(p, f, length) == 0 {
			continue
		}
		if f.Details.Int("interactive") > 0 {
			return true
		}
		if targets, ok := f.Details["targets"].([]string); ok && isForward(f) {
			forwarded += len(targets)
		}
		subresources[f.Subject.Subresource] = true
	}
	return len(subresources) > 1 || forwarded > 1
}

// sharing returns how many sessions of a finding have this length, within
// cut-spread.
func sharing(p *analysis.Pass, f *analysis.Finding, length time.Duration) (n int) {
	for _, d := range lengths(p, []*analysis.Finding{f}) {
		if d >= length && d-length <= max(time.Second, time.Duration(p.Float(optCutSpread)*float64(length))) {
			n++
		}
	}
	return n
}

// markCut makes a finding say that sessions of it were cut at a length, if any
// were. Of all sessions that were cut at it, the rest are of other findings; whose
// says of which clients. If varied is false, something else may explain the
// length, and the finding is only possible.
func markCut(p *analysis.Pass, f *analysis.Finding, length time.Duration, all int, varied bool, whose string) {
	mine := sharing(p, f, length)
	if mine == 0 {
		return
	}
	f.Severity, f.Confidence, f.Count = analysis.Warning, analysis.Likely, max(f.Count, mine)
	if !varied {
		f.Confidence = analysis.Possible
		what := "One command that always takes as long looks the same."
		if isForward(f) {
			what = "A script that closes its port-forward after that time looks the same."
		}
		f.Caveats = append(f.Caveats, what)
	}
	f.Details["cutAtSeconds"], f.Details["cut"] = analysis.Seconds(length), mine
	cut, others := "were cut", "were %d others"
	if mine == 1 {
		cut = "was cut"
	}
	if all-mine == 1 {
		others = "was %d other"
	}
	f.Title += fmt.Sprintf("; %d %s after %s", mine, cut, analysis.Short(length))
	if all > mine {
		f.Title += fmt.Sprintf(", as "+others+" "+whose, all-mine)
	}
}
