package incident

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// A rule says which findings are one story.
type rule struct {
	name    string   // begins the incident's id
	root    role     // the cause
	effects []effect // what can follow from it; a story has at least one, unless alone is set

	// alone is the most confidence that a serious root without any effect is told
	// with. "": such a root makes no story.
	alone analysis.Confidence
	// peers is set if cause and effects are findings of one kind: each may be an
	// effect of those before it. Findings that are in a story already are left out.
	peers bool

	// What to tell. {names} in it are replaced by the story's words.
	title, cause, remedy, avoid, proof string

	words    func(*story) []string // "{name}", word, "{name}", word, ...
	timeline func(*story) []Event  // at most maxTimeline, in any order
}

// A role is a part that a finding can play.
type role struct {
	analyzer string
	is       func(*analysis.Finding) bool // nil: any finding of the analyzer
}

// An effect is the part of a finding that follows from a root.
type effect struct {
	role
	// akin reports whether the root can have caused the finding at all, whenever it
	// was: they are about the same client, say (see akin.go).
	akin func(root, f *analysis.Finding) bool
	// fit counts how much of the finding coincides with what any of the roots
	// did. It is called with the akin roots, which may be none.
	fit func(roots []*analysis.Finding, f *analysis.Finding) fit
	// among, if set, makes fit from all findings that can play the part: for what
	// only several of them show together.
	among func(all []*analysis.Finding) func(roots []*analysis.Finding, f *analysis.Finding) fit
	// order reports whether the finding began late enough to be a consequence
	// of the roots that it coincides with. nil: always.
	order func(roots []*analysis.Finding, f *analysis.Finding) bool
	// joins is set if the finding only joins a story that other effects make.
	joins bool
	// detail names the finding's detail that is set to the fit's n, if any.
	detail string
}

// A fit is how well findings coincide: n of the things that an effect consists of, such
// as deletions, happened when a root was at work.
type fit struct {
	n, of int
	// coarse is set if n is an estimate, since a mark stands for several.
	coarse bool
}

// close reports whether so much coincides that chance is no explanation: at
// least half.
func (c fit) close() bool { return c.n > 0 && 2*c.n >= c.of }

// confidence returns how sure a story is that has this fit and findings that are
// certain.
func (c fit) confidence() analysis.Confidence {
	if c.coarse || 10*c.n < 9*c.of {
		return analysis.Likely
	}
	return analysis.Confirmed
}

// A story is an incident in the making.
type story struct {
	roots, effects []*analysis.Finding // in canonical order
	fit            fit                 // of all effects together

	// since is set if an effect began before it and the cause may have, too: what was
	// before it was left out.
	since audit.Time
}

// of returns the findings that can play the role.
func (r *role) of(findings []analysis.Finding) []*analysis.Finding {
	var cast []*analysis.Finding
	for i := range findings {
		if f := &findings[i]; f.Analyzer == r.analyzer && (r.is == nil || r.is(f)) {
			cast = append(cast, f)
		}
	}
	return cast
}

// cast returns the findings that can play a role in a story of this rule.
// taken are those, by id, that are in a story already.
func (r *rule) cast(part *role, findings []analysis.Finding, taken map[string]bool) []*analysis.Finding {
	all := part.of(findings)
	if r.peers {
		all = slices.DeleteFunc(all, func(f *analysis.Finding) bool {
			return taken[f.ID] || f.Confidence == analysis.Possible || !serious(f)
		})
	}
	return all
}

// find tells the stories of this rule. Events before since were left out.
func (r *rule) find(findings []analysis.Finding, taken map[string]bool, since audit.Time) []Incident {
	var stories, joining []*story
	roots := r.cast(&r.root, findings, taken)
	for _, e := range r.effects {
		cast := r.cast(&e.role, findings, taken)
		if e.among != nil {
			e.fit = e.among(cast)
		}
		for _, f := range cast {
			s := r.blame(&e, roots, f)
			switch {
			case s == nil:
			case e.joins:
				joining = append(joining, s)
			case e.order == nil || e.order(s.roots, f):
				stories = join(stories, s)
			case orderUnknown(s.roots, f, since):
				s.fit.coarse, s.since = true, since
				stories = join(stories, s)
			}
		}
	}
	if r.alone != "" {
		stories = append(stories, r.lonely(roots, stories)...)
	}
	incidents := make([]Incident, len(stories))
	for i, s := range stories {
		for _, j := range joining {
			if slices.ContainsFunc(j.roots, func(root *analysis.Finding) bool { return slices.Contains(s.roots, root) }) {
				s.effects = ordered(append(s.effects, j.effects...))
			}
		}
		s.effects = slices.DeleteFunc(s.effects, func(f *analysis.Finding) bool { return slices.Contains(s.roots, f) })
		incidents[i] = r.tell(s)
	}
	return incidents
}

// blame makes a story of f and the roots that may have caused it. It returns nil if
// none has, or if f is only possible, and may be no trouble at all.
func (r *rule) blame(e *effect, roots []*analysis.Finding, f *analysis.Finding) *story {
	akin := slices.DeleteFunc(slices.Clone(roots), func(root *analysis.Finding) bool {
		return root == f || r.peers && root.Analyzer == f.Analyzer && root.Compare(f) > 0 || !e.akin(root, f)
	})
	c := e.fit(akin, f)
	if e.detail != "" {
		setDetail(f, e.detail, c.n)
	}
	if !c.close() || f.Confidence == analysis.Possible {
		return nil
	}
	return &story{roots: e.causes(akin, f), effects: []*analysis.Finding{f}, fit: c}
}

// orderUnknown reports whether f began before since, and one of the roots was at work when
// what is left begins: nobody can tell which of them was first.
func orderUnknown(roots []*analysis.Finding, f *analysis.Finding, since audit.Time) bool {
	return f.First < since && slices.ContainsFunc(roots, func(root *analysis.Finding) bool { return began(root).Sub(since) <= lead })
}

// lonely makes a story of each serious root that is in none.
func (r *rule) lonely(roots []*analysis.Finding, stories []*story) []*story {
	var alone []*story
	for _, root := range roots {
		told := slices.ContainsFunc(stories, func(s *story) bool { return slices.Contains(s.roots, root) })
		if !told && serious(root) && root.Confidence != analysis.Possible {
			alone = append(alone, &story{roots: []*analysis.Finding{root}, fit: fit{n: 1, of: 1, coarse: r.alone != analysis.Confirmed}})
		}
	}
	return alone
}

// causes returns those of the akin roots with which anything of f coincides.
func (e *effect) causes(akin []*analysis.Finding, f *analysis.Finding) []*analysis.Finding {
	return slices.DeleteFunc(slices.Clone(akin), func(root *analysis.Finding) bool {
		return e.fit([]*analysis.Finding{root}, f).n == 0
	})
}

// join adds a story to others, and merges it with those that share a root with it.
func join(stories []*story, s *story) []*story {
	apart := stories[:0:0]
	for _, other := range stories {
		if !slices.ContainsFunc(other.roots, func(f *analysis.Finding) bool { return slices.Contains(s.roots, f) }) {
			apart = append(apart, other)
			continue
		}
		s.roots = append(s.roots, other.roots...)
		s.effects = append(s.effects, other.effects...)
		s.fit = fit{s.fit.n + other.fit.n, s.fit.of + other.fit.of, s.fit.coarse || other.fit.coarse}
		s.since = max(s.since, other.since)
	}
	s.roots, s.effects = ordered(s.roots), ordered(s.effects)
	return append(apart, s)
}

// ordered returns findings in canonical order, each once.
func ordered(findings []*analysis.Finding) []*analysis.Finding {
	slices.SortFunc(findings, (*analysis.Finding).Compare)
	return slices.Compact(findings)
}

// tell turns a story into an incident and relates its findings.
func (r *rule) tell(s *story) Incident {
	fill := strings.NewReplacer(r.words(s)...).Replace
	in := Incident{
		Title: fill(r.title), Cause: fill(r.cause), Remedy: fill(r.remedy),
		Avoid: fill(r.avoid), Proof: fill(r.proof),
		Confidence: s.confidence(), Timeline: s.timeline(r),
	}
	if s.since != 0 {
		in.Cause += fmt.Sprintf(" It may have begun earlier: events before %s are left out.", s.since.Std().Format(time.RFC3339))
	}
	in.name(r.name, s.roots)
	for _, f := range slices.Concat(s.roots, s.effects) {
		in.Findings = append(in.Findings, f.ID)
		if f.Severity.Rank() > in.Severity.Rank() {
			in.Severity = f.Severity
		}
		if in.First == 0 || f.First < in.First {
			in.First = f.First
		}
		in.Last = max(in.Last, f.Last)
	}
	relate(s.roots, s.effects)
	relate(s.effects, s.roots)
	return in
}

// confidence is that of the story's weakest link: its surest cause, its surest
// effect, and how well they fit.
func (s *story) confidence() analysis.Confidence {
	weakest := s.fit.confidence()
	for _, part := range [][]*analysis.Finding{s.roots, s.effects} {
		if len(part) == 0 {
			continue
		}
		surest := part[0].Confidence
		for _, f := range part {
			if f.Confidence.Rank() > surest.Rank() {
				surest = f.Confidence
			}
		}
		if surest.Rank() < weakest.Rank() {
			weakest = surest
		}
	}
	return weakest
}

// timeline returns the first maxTimeline events of the rule's timeline, in order.
func (s *story) timeline(r *rule) []Event {
	events := r.timeline(s)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return events[:min(len(events), maxTimeline)]
}

// relate adds the ids of others to each finding's related ones.
func relate(findings, others []*analysis.Finding) {
	for _, f := range findings {
		related := slices.Clone(f.Related)
		for _, o := range others {
			related = append(related, o.ID)
		}
		slices.Sort(related)
		f.Related = slices.Compact(related)
	}
}

// setDetail sets a detail in a copy of f's details, which may be shared.
func setDetail(f *analysis.Finding, name string, n int) {
	details := analysis.Details{}
	maps.Copy(details, f.Details)
	details[name] = n
	f.Details = details
}
