package endpointflap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// kept reports whether a log has writes of endpoints, or of slices, by a controller
// that keeps them. Where it has none, whatever was created again is not in it: the
// audit policy leaves out what the controllers do.
func (j *judge) kept(scope analysis.Scope) bool {
	writers, all := j.pass.Facts.Writers(scope)
	return !all || slices.ContainsFunc(writers, func(c analysis.Client) bool {
		return (&Move{User: c.User.String(), UserAgent: c.UserAgent.String()}).byKeeper()
	})
}

var (
	allEndpoints = analysis.Scope{Resource: resEndpoints}
	allSlices    = analysis.Scope{Group: groupSlices, Resource: resSlices}
)

// reportUnkept reports deletions of Endpoints of which nobody's creations are in
// the log. All but the last were made good, since what is not there can't be
// deleted.
func (j *judge) reportUnkept() bool {
	var fl flap
	var moves []*Move
	n := int64(0)
	for _, c := range j.state.Endpoints.Cells.All() {
		if c.Deleted == nil || j.excused(&c.Deleted.First) {
			continue
		}
		fl.cycles = append(fl.cycles, cycle{deleted: &c.Deleted.First, n: c.Deleted.N})
		moves = append(moves, c.Deleted.known()...)
		n += c.Deleted.N
	}
	if n == 0 || n == 1 && j.state.Service.deletedWithin(moves[0].From, j.pass.Facts.Span.Last) > 0 {
		return false
	}
	f := j.unkept(&fl, moves)
	f.Title = j.unkeptTitle("the endpoints ", moves, f.Count, notTold)
	f.Subject.Resource = resEndpoints.String()
	f.Details["sliceDeletions"] = len(j.state.Slices.deletions())
	j.leftOut(&f, &j.state.Endpoints)
	j.pass.Report(f)
	return true
}

// unkept makes a finding, without a title, of deletions that are not known to have been made
// good. It orders the moves.
func (j *judge) unkept(fl *flap, moves []*Move) analysis.Finding {
	slices.SortStableFunc(moves, (*Move).compare)
	del, first, last := most(moves), moves[0], moves[len(moves)-1]
	n := fl.count()
	f := analysis.Finding{
		Severity: j.severity(fl, false), Confidence: analysis.Confirmed, Count: n,
		First: first.From, Last: last.To,
		Subject: analysis.Subject{
			Namespace: j.pass.Key.Namespace.String(), Name: j.pass.Key.Name,
			User: del.User, UserAgent: del.UserAgent, SourceIP: del.SourceIP,
		},
		Details: analysis.Details{
			"cycles": n - 1, "missing": false,
			"longestOutageSeconds": 0.0, "totalOutageSeconds": 0.0,
			"deletedBy": del.User, "deletedByUserAgent": del.UserAgent,
			"createdBy": "", "createdByUserAgent": "", "creationsUnseen": true,
			"serviceKnown": j.state.Known > 0,
		},
	}
	for _, m := range moves {
		f.Marks = append(f.Marks, analysis.Mark{Kind: "outage", From: m.To, To: m.To, N: 1})
	}
	f.Marks = analysis.Coarsen(f.Marks)
	f.Evidence = analysis.Cite(j.ref(first), j.ref(last))
	return f
}

// What is not known of creations, at a title's end.
const (
	notTold = "who created them again, and how soon, is not in the log"
	notKept = "they were created again too often to tell how soon"
)

func (j *judge) unkeptTitle(what string, moves []*Move, n int, unknown string) string {
	del, within := most(moves), moves[len(moves)-1].To.Sub(moves[0].From)
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s/%s were deleted ", what, j.pass.Key.Namespace, analysis.Plain(j.pass.Key.Name))
	if n == 1 {
		fmt.Fprintf(&b, "by %s; whether they were created again is not in the log", del.who())
		return b.String()
	}
	fmt.Fprintf(&b, "%d times within %s by %s; %s",
		n, within.Round(time.Second), del.who(), unknown)
	return b.String()
}
