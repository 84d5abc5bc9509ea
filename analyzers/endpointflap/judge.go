package endpointflap

import (
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// A judge finds what is wrong with the endpoints of one name.
type judge struct {
	pass    *analysis.Pass
	state   *State
	intents intents
	writer  string // the user who wrote the Endpoints most often
}

func newJudge(p *analysis.Pass, s *State) *judge {
	return &judge{pass: p, state: s, intents: intentsOf(p, s), writer: usual(&s.Writers)}
}

// excused reports whether a deletion of the Endpoints has a good reason, or they are a lock.
// They are if their usual writer deletes them, that is no controller that keeps endpoints,
// and the log has no Service of their name.
func (j *judge) excused(m *Move) bool {
	if m.byCollector() || j.intents.explain(m) || swept(j.pass, m) || j.collected(m) {
		return true
	}
	return m.User == j.writer && !m.byKeeper() && j.state.Known == 0
}

// collected reports whether the garbage collector deleted a slice of the Service at about
// the time of the move. It does so when the owner is gone, so the Service was deleted,
// perhaps through an API server whose log was not read.
func (j *judge) collected(m *Move) bool {
	when := tally.Interval{From: m.From.Add(-j.pass.Duration(optIntent)), To: m.To.Add(j.pass.Duration(optSettle))}
	return slices.ContainsFunc(j.state.Slices.deletions(), func(del *Move) bool {
		return del.byCollector() && del.From <= when.To && when.From <= del.To
	})
}

// reportEndpoints reports cycles of the Endpoints, and what is missing.
func (j *judge) reportEndpoints() bool {
	if j.writer == "" && !j.kept(allEndpoints) {
		return j.reportUnkept()
	}
	fl := j.state.Endpoints.walk(j.excused, &j.state.Service)
	v := j.missing(&fl, &j.state.Endpoints)
	if fl.count() == 0 && !v.missing {
		return false
	}
	f := j.finding(&fl, v)
	f.Subject.Resource = resEndpoints.String()
	f.Title = j.title("the endpoints ", &fl, v) + j.neglect(&f, &fl)
	f.Details["sliceDeletions"] = len(j.state.Slices.deletions())
	j.leftOut(&f, &j.state.Endpoints)
	j.pass.Report(f)
	return true
}

// What is known of the last deletion.
type verdict struct {
	missing bool
	caveats []string
}

const (
	caveatEnd = "the log ends %s after the last deletion: whether it was made good is not known"
	caveatGap = "the log has a hole after the last deletion: it may have been made good there"
)

// missing judges whether the last deletion was not made good.
func (j *judge) missing(fl *flap, h *History) (v verdict) {
	open := fl.open
	switch {
	case open == nil, j.state.Service.deletedWithin(open.From, j.pass.Facts.Span.Last) > 0:
		return v
	case h == &j.state.Endpoints && j.state.Updated > open.To: // its creation is not in the log
		return v
	case h == &j.state.Endpoints && len(fl.cycles) == 0 && j.leftover(open):
		return v
	case j.createdAbout(h, open): // it may have been created after that
		return v
	case h == &j.state.Slices && !j.kept(allSlices): // nor would it be
		return v
	case len(fl.cycles) == 0 && open.byKeeper() && j.namespaceUnknown():
		return v
	}
	settle := j.pass.Duration(optSettle)
	if left := j.pass.Facts.Span.Last.Sub(open.To); left < settle {
		v.caveats = append(v.caveats, fmt.Sprintf(caveatEnd, left.Round(time.Millisecond)))
		return v
	}
	v.missing = true
	if j.pass.Facts.InHole(open.To, open.To.Add(settle)) {
		v.caveats = append(v.caveats, caveatGap)
	}
	return v
}

// createdAbout reports whether a creation lies no further before a deletion than the clocks
// of API servers differ: it may have come after it.
func (j *judge) createdAbout(h *History, del *Move) bool {
	from := del.From.Add(-j.pass.Facts.Skew())
	return slices.ContainsFunc(h.creations(), func(c *Move) bool { return from < c.From && c.From < del.From })
}

// leftover reports whether the deleted endpoints may have been an orphan, since nothing in
// the log shows that they had a Service. A controller-manager that starts deletes endpoints
// whose Service was deleted while it was away.
func (j *judge) leftover(del *Move) bool {
	return del.byKeeper() && j.state.Known == 0 && j.writer == ""
}

// namespaceUnknown reports whether the namespace may have been deleted although that is not
// known, since more were than are kept.
func (j *judge) namespaceUnknown() bool {
	gone, all := j.pass.Facts.NamespaceDeleted(j.pass.Key.Namespace.String())
	return !all && len(gone) == 0
}

const (
	caveatNoServices = "nobody's writes of Services are in the log: whether the Service was deleted too is not known"
	caveatServers    = "another API server serves this cluster, whose log is not here: the Service may have been deleted by way of that one"
	caveatNamespaces = "more namespaces were deleted than are kept: this one may have been among them"
	caveatSampled    = "there were more deletions than are kept one by one: they are counted by time, and the longest outage is the longest known"
)

// confidence sets how sure a finding is. It is Confirmed if the log would show that the
// Service was deleted, or if somebody else than the controller that keeps endpoints deleted
// them: then they did not go because of their Service.
func (j *judge) confidence(f *analysis.Finding, fl *flap, del Move, v verdict) {
	f.Confidence, f.Caveats = analysis.Confirmed, v.caveats
	if v.missing && len(v.caveats) > 0 {
		f.Confidence = analysis.Likely
	}
	if !del.byKeeper() {
		return
	}
	if j.namespaceUnknown() {
		f.Confidence, f.Caveats = analysis.Possible, append(f.Caveats, caveatNamespaces)
		return
	}
	switch unseen := j.unseen(fl, del); {
	case j.pass.Facts.WritesOf(analysis.Scope{Resource: resServices}) == 0:
		f.Confidence, f.Caveats = unseen, append(f.Caveats, caveatNoServices)
	case unseen == analysis.Possible && j.elsewhere(fl):
		f.Confidence, f.Caveats = unseen, append(f.Caveats, caveatServers)
	default:
		f.Details[detailUnseen] = unseen
	}
}

// elsewhere reports whether the Service may have been deleted through an API server whose
// log was not read. If the only sign of one is that changes are missing, that holds for few
// cycles only, since lost lines look the same.
func (j *judge) elsewhere(fl *flap) bool {
	facts := j.pass.Facts
	return len(facts.Strangers()) > 0 || fl.count() < j.pass.Int(optCycles) && facts.Partial()
}

// unseen returns how sure a finding about a controller that keeps endpoints is if the log
// does not show deletions of Services: a few cycles may be somebody's deployments, many are
// likely the controller's fault.
func (j *judge) unseen(fl *flap, del Move) analysis.Confidence {
	if fl.count() < j.pass.Int(optBlind) && del.User == j.writer {
		return analysis.Possible
	}
	return analysis.Likely
}

// severity says how bad it is, by how many cycles programs made, and how many one user.
func (j *judge) severity(fl *flap, missing bool) analysis.Severity {
	auto, all := int64(0), int64(0)
	users := map[string]int64{}
	for i := range fl.cycles {
		c := &fl.cycles[i]
		all += c.n
		users[c.deleted.User] += c.n
		if c.deleted.automated() {
			auto += c.n
		}
	}
	byHand := true
	if fl.open != nil && missing {
		all++
		users[fl.open.User]++
		byHand = !fl.open.automated()
	}
	for i := range fl.cycles {
		if c := &fl.cycles[i]; !c.deleted.automated() && users[c.deleted.User] >= int64(j.pass.Int(optHand)) {
			auto += c.n
		}
	}
	switch {
	case auto >= int64(max(1, j.pass.Int(optCycles))), missing && !byHand:
		return analysis.Critical
	case auto == 0 && all == 1 && byHand:
		return analysis.Info
	}
	return analysis.Warning
}
