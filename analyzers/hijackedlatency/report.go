package hijackedlatency

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// The kinds of findings: details.kind.
const (
	kindSession = "session"
	kindStream  = "stream"
	kindDead    = "dead-upgrade"
)

// Report reports the sessions, the streams, and the upgrades that ended at once.
func (s *State) Report(p *analysis.Pass) {
	open := s.open(p)
	s.report(p, kindSession, s.withPaired(&s.Sessions, false), open[kindSession])
	s.report(p, kindStream, s.withPaired(&s.Streams, true), open[kindStream])
	s.reportDead(p)
}

// report reports sessions or streams that lasted long, never ended, or may have
// been cut. Group judges the latter, and drops a finding that is none of these:
// it has a count of 0.
func (s *State) report(p *analysis.Pass, kind string, ended *lives, open []unended) {
	l := ended.with(open)
	threshold := p.Duration(optThreshold)
	least := min(threshold, p.Duration(optCutMin)) // shorter ones are not drawn or cited
	cited := evidence(l, open, least)
	if len(cited) == 0 {
		return
	}
	long := 0
	if l.Took.Max() >= threshold {
		long = int(l.Took.AtLeast(threshold))
	}
	n, overdue := tallyEnds(open), s.overdue(p, l, open)
	lasts := func(o unended) bool { return o.why == stillOpen && o.age >= threshold }
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed,
		Subject: s.subject(p), Details: s.details(p, kind, l, open, overdue),
		Marks: marks(l, open, least), Evidence: cited,
	}
	if long+n[cutByRestart]+overdue > 0 || slices.ContainsFunc(open, lasts) {
		f.Count = long + n[cutByRestart] + n[stillOpen] // as the title has them
	}
	if overdue > 0 {
		f.Severity, f.Confidence = analysis.Warning, analysis.Likely
		f.Caveats = append(f.Caveats, "A session that somebody keeps open looks the same; these are many, and others of their kind end soon.")
	}
	f.First, f.Last = window(f.Marks)
	f.Title = s.title(&f, long, overdue, threshold)
	if n[lostInHole] > 0 {
		f.Caveats = append(f.Caveats, fmt.Sprintf("%d that began before a hole in the log may have ended in it.", n[lostInHole]))
	}
	if !s.Paired.Exact() {
		f.Caveats = append(f.Caveats, fmt.Sprintf("There were more than %d sessions whose events have one time each; these alone are counted.", keptRequests))
	}
	if n[endedUnheard] > 0 {
		f.Caveats = append(f.Caveats, fmt.Sprintf("The end of %d is in the API server's own log alone.", n[endedUnheard]))
	}
	p.Report(f)
}

// subject is that of the key, with the resource if there is only one, and with
// the name if there is only one target.
func (s *State) subject(p *analysis.Pass) analysis.Subject {
	subject := p.Key.Subject()
	if resources := s.Resources.Members(); len(resources) == 1 {
		subject.Resource = resources[0]
	}
	if names := s.Targets.Members(); len(names) == 1 && s.Targets.Exact() {
		subject.Name = names[0]
	}
	return subject
}

// details are the finding's details. Times are in seconds; commands are whole only if the
// user asked for them, since they may hold secrets.
func (s *State) details(p *analysis.Pass, kind string, l *lives, open []unended, overdue int) analysis.Details {
	n := tallyEnds(open)
	commands := &s.Programs
	if p.Bool(optShowCommands) {
		commands = &s.Commands
	}
	d := analysis.Details{
		"kind":         kind,
		"sessions":     int(l.Took.Count()) + len(open) - n[endedUnheard],
		"unfinished":   n[cutByRestart] + overdue,
		"cutByRestart": n[cutByRestart],
		"openAtEnd":    n[stillOpen] - overdue,
		"interactive":  interactiveOf(l),
		"buckets": map[string]int{
			"200ms": int(l.Classes[0]), "1s": int(l.Classes[1]), "1m": int(l.Classes[2]), "above": int(l.Classes[3]),
		},
		"targets":    analysis.PlainAll(s.Targets.Members()),
		"containers": analysis.PlainAll(s.Containers.Members()),
		"commands":   analysis.PlainAll(commands.Members()),
	}
	if l.Took.Count() > 0 {
		d["p50Seconds"], d["p95Seconds"], d["maxSeconds"] = analysis.Seconds(l.Took.Quantile(0.5)), analysis.Seconds(l.Took.Quantile(0.95)), analysis.Seconds(l.Took.Max())
	}
	if n[cutByRestart] > 0 {
		d["restarts"] = restarts(open)
	}
	if age := longestOpen(open); age > 0 {
		d["longestOpenSeconds"] = analysis.Seconds(age)
	}
	return d
}

// longestOpen returns the longest time that a session without an end is known to
// have been open.
func longestOpen(open []unended) (most time.Duration) {
	for _, o := range open {
		if o.why != endedUnheard {
			most = max(most, o.age)
		}
	}
	return most
}

func interactiveOf(l *lives) int {
	n := 0
	for _, life := range l.Longest.Items {
		if life.Interactive {
			n++
		}
	}
	return n
}

// marks draws the longest sessions and those without an end, except for ones
// shorter than least.
func marks(l *lives, open []unended, least time.Duration) []analysis.Mark {
	var all []analysis.Mark
	for _, life := range l.Longest.Items {
		if life.Took >= least {
			all = append(all, analysis.Mark{Kind: "session", From: life.From, To: life.From.Add(life.Took), N: 1})
		}
	}
	for _, o := range open {
		if o.shown(least) {
			kind := "open"
			if o.why == endedUnheard {
				kind = "session"
			}
			all = append(all, analysis.Mark{Kind: kind, From: o.half.Received, To: o.until, N: 1})
		}
	}
	return analysis.Coarsen(all)
}

func window(marks []analysis.Mark) (first, last audit.Time) {
	for _, m := range marks {
		if first == 0 || m.From < first {
			first = m.From
		}
		last = max(last, m.To)
	}
	return first, last
}

// evidence cites sessions without an end, then the longest of the others, except
// for ones shorter than least.
func evidence(l *lives, open []unended, least time.Duration) []analysis.Evidence {
	var refs []audit.Ref
	for _, o := range open {
		if len(refs) < analysis.MaxEvidence/2 && o.shown(least) {
			refs = append(refs, o.half.Ref)
			if o.why == endedUnheard {
				refs = append(refs, o.told)
			}
		}
	}
	for _, life := range l.Longest.Items {
		if len(refs) < analysis.MaxEvidence && life.Took >= least {
			refs = append(refs, life.Ref)
		}
	}
	return analysis.Cite(refs...)
}

// title says how many sessions there were, how many were long, and how many have
// no end, and why.
func (s *State) title(f *analysis.Finding, long, overdue int, threshold time.Duration) string {
	d, subject := f.Details, f.Subject
	what := subject.Subresource
	if d.Text("kind") == kindStream {
		what = "plain " + what
	}
	where := ""
	if subject.Namespace != "" {
		where = " in " + subject.Namespace
	}
	if subject.Name != "" {
		where = " to " + strings.TrimPrefix(subject.Resource+"/"+subject.Name, "/") + where
	}
	title := fmt.Sprintf("%s had %s%s", subject.Who(), analysis.Counted(d.Int("sessions"), what+" session"), where)
	if long > 0 {
		title += fmt.Sprintf(", %d of %s or longer, at most %s", long, threshold, inSeconds(d, "maxSeconds"))
	}
	if overdue > 0 {
		title += fmt.Sprintf("; %d never ended, open for up to %s, while the others took %s",
			overdue, inSeconds(d, "longestOpenSeconds"), inSeconds(d, "p95Seconds"))
	}
	if n := d.Int("cutByRestart"); n > 0 {
		title += fmt.Sprintf("; %d cut by the API server's restart", n)
	}
	if n := d.Int("openAtEnd"); n > 0 {
		title += fmt.Sprintf("; %d open at the log's end", n)
	}
	return analysis.Plain(title)
}

// inSeconds writes a detail that is in seconds as a duration.
func inSeconds(d analysis.Details, name string) string {
	return analysis.Short(time.Duration(d.Float(name) * float64(time.Second)))
}
