package hijackedlatency

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// An end says why a session's end is not in the audit log.
type end int

const (
	stillOpen    end = iota // the log ends before it does
	cutByRestart            // its API server was killed
	lostInHole              // the log has a hole after it began
	endedUnheard            // only the API server's own log has its end
	ends                    // number of ends
)

// An unended is a session that was answered and whose end is not in the log.
type unended struct {
	half  *tally.Half
	typed bool // it had a terminal, or that is not known
	why   end
	until audit.Time    // when it was last known to be open: before the restart or the hole, or at the log's end
	age   time.Duration // how long it had been open by then
	start audit.Time    // when the API server that cut it started again
	told  audit.Ref     // the line of the API server's own log that has its end
}

// shown reports whether the session is drawn and cited.
func (u *unended) shown(least time.Duration) bool { return u.why == cutByRestart || u.age >= least }

// open returns the sessions and streams without an end, by the kind of finding.
func (s *State) open(p *analysis.Pass) map[string][]unended {
	all := map[string][]unended{}
	answered := p.Facts.Stages[audit.StageResponseStarted] > 0
	for _, log := range p.Facts.LogNames() {
		pairs := s.Open[log]
		if pairs == nil {
			continue
		}
		for _, pair := range pairs.Kept {
			if pair.Half == nil {
				continue
			}
			if kind := kindOf(p, pair.Half, answered); kind != "" {
				u := whyOpen(p, log, pair.Half)
				if u.why != endedUnheard && !p.Facts.LogEnds(log) {
					continue // nothing ends in this log
				}
				u.typed = s.Typed.Has(requestName(pair.Hash)) || !s.Typed.Exact()
				all[kind] = append(all[kind], u)
			}
		}
	}
	s.openPaired(p, all)
	for _, open := range all {
		slices.SortFunc(open, func(a, b unended) int { return a.half.Ref.Compare(b.half.Ref) })
	}
	return all
}

// kindOf tells whether a request without an end is a session or a stream, or ""
// for neither, by the code of its answer. answered is whether the log has
// ResponseStarted at all: if the policy omits it, the subresource decides.
func kindOf(p *analysis.Pass, half *tally.Half, answered bool) string {
	stream := p.Key.Subresource == audit.SubLog || p.Key.Subresource == audit.SubProxy
	switch {
	case half.Code == 101, half.Code == 0 && !answered && !stream:
		return kindSession
	case half.Code >= 200 && half.Code < 300 && stream:
		return kindStream
	}
	return ""
}

// whyOpen tells why the log does not have the end of a session.
func whyOpen(p *analysis.Pass, log string, half *tally.Half) unended {
	u := unended{half: half, why: stillOpen, until: p.Facts.LogSpan(log).Last}
	for _, start := range p.Facts.Starts(log) {
		if start > half.Received {
			u.why, u.until, u.start = cutByRestart, p.Facts.LastBefore(log, start), start
			break
		}
	}
	for _, hole := range p.Facts.Holes(log) {
		if hole.From >= half.Received && hole.From < u.until && u.why != cutByRestart {
			u.why, u.until = lostInHole, hole.From
		}
	}
	if end, ok := p.Facts.OwnEnd(audit.View(half.Ref.AuditID)); ok {
		u.why, u.until, u.told = endedUnheard, half.Received.Add(end.Took), end.Ref(half.Ref.AuditID)
	}
	u.until = max(u.until, half.Received)
	u.age = u.until.Sub(half.Received)
	return u
}

// maxRestarts is how many restarts a finding lists.
const maxRestarts = 8

// restarts returns when API servers that had cut sessions started again: the
// last maxRestarts times.
func restarts(open []unended) []string {
	var starts []audit.Time
	for i := range open {
		if open[i].why == cutByRestart {
			starts = append(starts, open[i].start)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	var texts []string
	for _, t := range starts[max(0, len(starts)-maxRestarts):] {
		texts = append(texts, t.String())
	}
	return texts
}

func tallyEnds(open []unended) (n [ends]int) {
	for _, o := range open {
		n[o.why]++
	}
	return n
}

// overdue returns how many sessions are still open although, by how long others
// took, they should have ended long ago. It returns 0 unless as many as option
// unfinished says have been open for a minute (option threshold). Sessions with a
// terminal don't count: a person stays as long as the work takes.
func (s *State) overdue(p *analysis.Pass, l *lives, open []unended) int {
	const fewOthers = 3
	if l.Took.Count() < fewOthers {
		return 0
	}
	patience := time.Duration(p.Float(optPatience) * float64(l.Took.Quantile(0.95)))
	sure, all := 0, 0
	for i := range open {
		o := &open[i]
		if o.why != stillOpen || o.typed || o.age <= patience {
			continue
		}
		all++
		if o.age >= p.Duration(optThreshold) {
			sure++
		}
	}
	if sure >= p.Int(optUnfinished) {
		return all
	}
	return 0
}
