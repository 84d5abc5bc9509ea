package hotloop

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatSampled = "there were more requests than are kept one by one: the numbers are estimates from a sample"
	caveatPods    = "the object follows pods, and pods of its namespace changed as often"
)

// report reports a loop.
func report(p *analysis.Pass, l loop) {
	items := joined(l.stretches)
	sortItems(items)
	t, span := total(items), tally.Span{}
	for i := range items {
		span.Add(items[i].Began)
		span.Add(items[i].Line.Time)
	}
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Confirmed,
		First: span.First, Last: span.Last, Count: whole(t.writes),
		Subject: subject(p, &l, items), Marks: marks(l.stretches),
		Evidence: analysis.Cite(lines(p, items)...),
	}
	if l.kind == kindRequests {
		f.Count = whole(t.writes + t.reads)
	}
	if l.kind != kindConflicts && l.kind != kindWrites {
		f.Confidence = analysis.Likely
	}
	if !exact(items) {
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatSampled)
	}
	if l.kind != kindTurns && followsPods(p, &l, span.First, span.Last) {
		f.Severity, f.Confidence = analysis.Info, analysis.Possible
		f.Caveats = append(f.Caveats, caveatPods)
	}
	f.Details = details(p, &l, items, &t)
	f.Title = title(p, &l, items, &t, span.Len())
	p.Report(f)
}

func whole(n float64) int { return int(math.Round(n)) }

// subject names the object, if it is one, and the client, if it is one.
func subject(p *analysis.Pass, l *loop, items []item) analysis.Subject {
	s := p.Key.Subject()
	s.Namespace = l.objects[0].namespace
	if len(l.objects) == 1 {
		s.Name = l.objects[0].name
	} else if slices.ContainsFunc(l.objects, func(o object) bool { return o.namespace != s.Namespace }) {
		s.Namespace = ""
	}
	first := items[0]
	s.User, s.UserAgent, s.SourceIP, s.Subresource = first.User, first.Agent, first.IP, ""
	if writes := writesOf(items); len(writes) > 0 {
		s.Subresource = writes[0].Sub
	}
	for _, i := range items {
		s.User = same(s.User, i.User)
		s.UserAgent = same(s.UserAgent, i.Agent)
		s.SourceIP = same(s.SourceIP, i.IP)
		if !i.read {
			s.Subresource = same(s.Subresource, i.Sub)
		}
	}
	return s
}

func same(a, b string) string {
	if a == b {
		return a
	}
	return ""
}

func details(p *analysis.Pass, l *loop, items []item, t *sum) analysis.Details {
	span := items[len(items)-1].Began.Sub(items[0].Began)
	d := analysis.Details{
		"kind": l.kind, "writes": whole(t.writes), "conflicts": whole(t.conflicts), "reads": whole(t.reads),
		"writers": users(items), "objects": len(l.objects), "seconds": math.Round(span.Seconds()*10) / 10,
	}
	if span >= time.Second {
		d["writesPerSecond"] = math.Round(10*t.writes/span.Seconds()) / 10
	}
	if l.kind == kindTurns {
		d["turns"] = turnsOf(items)
	}
	return d
}

func turnsOf(items []item) (n int) {
	for _, i := range items {
		if i.turn {
			n++
		}
	}
	return n
}

// maxWriters is how many writers are named.
const maxWriters = 8

// users returns who writes, in order of name.
func users(items []item) []string {
	names := []string{}
	for _, i := range writesOf(items) {
		if name := i.name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxWriters)]
}

// name names the client, with its program where it has no user.
func (i *item) name() string {
	switch {
	case i.User != "":
		return analysis.Plain(i.User)
	case i.Agent != "":
		return analysis.Plain(i.Agent)
	}
	return "a client without a name"
}

func title(p *analysis.Pass, l *loop, items []item, t *sum, span time.Duration) string {
	who, what := strings.Join(users(items), " and "), target(p, l, items)
	within := fmt.Sprintf("within %s", max(span, time.Second).Round(time.Second))
	switch l.kind {
	case kindConflicts:
		return fmt.Sprintf("%s writes %s in vain: %d of %d writes %s conflicted", who, what, whole(t.conflicts), whole(t.writes), within)
	case kindTurns:
		return fmt.Sprintf("%s write %s in turns: %d writes %s, which changed hands %d times", who, what, whole(t.writes), within, turnsOf(items))
	case kindRequests:
		return fmt.Sprintf("%s reads and writes %s without a pause: %d reads and %d writes %s", who, what, whole(t.reads), whole(t.writes), within)
	case kindMany:
		return fmt.Sprintf("%s writes %s over and over: %d writes to %d objects %s", who, what, whole(t.writes), len(l.objects), within)
	}
	return fmt.Sprintf("%s writes %s again and again: %d times %s", who, what, whole(t.writes), within)
}

func target(p *analysis.Pass, l *loop, items []item) string {
	s := subject(p, l, items)
	text := s.Resource
	if s.APIGroup != "" {
		text += "." + s.APIGroup
	}
	switch {
	case s.Name == "":
	case s.Namespace == "":
		text += " " + s.Name
	default:
		text += " " + s.Namespace + "/" + s.Name
	}
	if s.Subresource != "" {
		text += " (" + s.Subresource + ")"
	}
	return analysis.Plain(text)
}

func marks(stretches []stretch) []analysis.Mark {
	var all []analysis.Mark
	for _, s := range stretches {
		t := total(s)
		all = append(all, analysis.Mark{Kind: "loop", From: s[0].Began, To: s[len(s)-1].Began, N: max(1, whole(t.writes))})
	}
	return analysis.Coarsen(all)
}

// lines cites the first conflicts, the first writes and the last ones.
func lines(p *analysis.Pass, items []item) []audit.Ref {
	writes := writesOf(items)
	cited := slices.Clone(writes[:min(3, len(writes))])
	cited = append(cited, writes[max(0, len(writes)-2):]...)
	conflicts := slices.DeleteFunc(slices.Clone(writes), func(i item) bool { return !i.conflict() })
	cited = append(cited, conflicts[:min(2, len(conflicts))]...)
	if reads := slices.IndexFunc(items, func(i item) bool { return i.read }); reads >= 0 {
		cited = append(cited, items[reads])
	}
	refs := make([]audit.Ref, len(cited))
	for n, i := range cited {
		refs[n] = i.ref(p)
	}
	return refs
}

func (i *item) ref(p *analysis.Pass) audit.Ref {
	return i.Line.Ref(audit.Event{
		Received: i.Began, Verb: audit.Intern(i.Verb), User: audit.Intern(i.User), Group: p.Key.Group, Resource: p.Key.Resource,
		Subresource: audit.Intern(i.Sub), Namespace: audit.Intern(i.Namespace), Name: audit.View(i.Name),
	})
}
