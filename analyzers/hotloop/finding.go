package hotloop

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatSampled = "there were too many requests to keep each: the numbers are estimates, counted by the minute"
	caveatFaint   = "it was less than a loop makes, about half as much: it may be only a burst of work, or the beginning of a loop"
	caveatBrief   = "it fills the log, which is too short for more: half of what makes a loop, at its pace, was enough"
	caveatWide    = "each object's turn comes some seconds after the last: a controller that is there to refresh all its objects so often looks the same"
	caveatShared  = "API servers on hosts of the same name share this lease and get in each other's way when they renew it: it does no harm"
	caveatPods    = "the object follows pods, and pods of its namespace changed as often"
	caveatNoPods  = "the object follows pods, and pods change in more namespaces than are kept: how often those of its own did is not known"
)

// report reports a loop.
func (s *State) report(p *analysis.Pass, l *loop) {
	span := l.span()
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Confirmed,
		First: span.First, Last: span.Last, Count: max(1, l.sum.writes),
		Subject: subject(p, l), Marks: analysis.Coarsen(l.marks),
		Evidence: analysis.Cite(lines(l.items)...),
	}
	if l.kind == kindRequests {
		f.Count = l.sum.writes + l.sum.reads
	}
	weigh(p, &f, l)
	f.Details = details(l)
	if r, ok := s.ratesOf(p, l); ok {
		r.tell(&f, l.kind)
	}
	f.Title = title(&f, l)
	p.Report(f)
}

// weigh lowers the severity and the confidence of a loop that may be something else, and
// says what.
func weigh(p *analysis.Pass, f *analysis.Finding, l *loop) {
	if l.kind != kindConflicts && l.kind != kindWrites {
		f.Confidence = analysis.Likely
	}
	if l.counted {
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatSampled)
	}
	if l.wide {
		f.Caveats = append(f.Caveats, caveatWide)
	}
	switch l.measure {
	case brief:
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatBrief)
	case faint:
		f.Severity, f.Confidence = analysis.Info, analysis.Possible
		f.Caveats = append(f.Caveats, caveatFaint)
	}
	if l.kind != kindTurns {
		switch follows, known := followsPods(p, l, f.First, f.Last); {
		case follows:
			f.Severity, f.Confidence = analysis.Info, analysis.Possible
			f.Caveats = append(f.Caveats, caveatPods)
		case !known:
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatNoPods)
		}
	}
	if f.Severity == analysis.Warning && ended(p, l) {
		weighEnd(f, writesOf(l.items))
	}
	if sharesIdentity(&f.Subject) {
		f.Severity = analysis.Info
		f.Caveats = append(f.Caveats, caveatShared)
	}
}

// sharesIdentity reports whether a loop is of the lease by which an API server says
// that it is there. Its name is made of the host's name (KEP 1965), and each server
// renews what bears its name.
func sharesIdentity(s *analysis.Subject) bool {
	return s.Resource == "leases" && s.Namespace == "kube-system" && s.User == "system:apiserver" && strings.HasPrefix(s.Name, "apiserver-")
}

// span is from the first sign of the loop to the last.
func (l *loop) span() (span tally.Span) {
	for i := range l.items {
		span.Add(l.items[i].Began())
		span.Add(l.items[i].Time)
	}
	for _, m := range l.marks {
		span.Add(m.From)
		span.Add(m.To)
	}
	return span
}

// length is from the first request to the last.
func (l *loop) length() time.Duration {
	if l.counted {
		span := l.span()
		return span.Len()
	}
	return stretch(l.items).length()
}

// objects returns how many objects the loop is about, as far as is known.
func (l *loop) objects() int { return len(byObject(l.items)) }

// subject names the object, if it is one, and the client, if it is one.
func subject(p *analysis.Pass, l *loop) analysis.Subject {
	s := p.Key.Subject()
	first := &l.items[0]
	s.Namespace, s.User, s.UserAgent, s.SourceIP = first.Namespace().String(), first.Actor().String(), first.agent.String(), first.ip.String()
	if l.objects() == 1 {
		s.Name = first.Name()
	}
	writes := writesOf(l.items)
	if len(writes) > 0 {
		s.Subresource = writes[0].Subresource().String()
	}
	for i := range l.items {
		i := &l.items[i]
		s.Namespace = same(s.Namespace, i.Namespace())
		s.User = same(s.User, i.Actor())
		s.UserAgent = same(s.UserAgent, i.agent)
		s.SourceIP = same(s.SourceIP, i.ip)
		if !i.read {
			s.Subresource = same(s.Subresource, i.Subresource())
		}
	}
	return s
}

func same(a string, b audit.Sym) string {
	if a == b.String() {
		return a
	}
	return ""
}

// details are numbers of requests, and how long the loop went on, in seconds to the tenth.
func details(l *loop) analysis.Details {
	d := analysis.Details{
		"kind": l.kind, "writes": l.sum.writes, "conflicts": l.sum.conflicts, "reads": l.sum.reads,
		"writers": users(l.items), "objects": l.objects(), "seconds": tenths(l.length()),
	}
	if l.kind == kindTurns {
		d["turns"] = l.sum.turns
	}
	if codes := failed(l.items); l.kind == kindWrites && len(codes) > 0 {
		d["failed"], d["codes"] = l.sum.writes, codes
	}
	return d
}

// failed returns how writes were answered, if every one that is known failed.
func failed(items []item) (codes []int) {
	for _, i := range writesOf(items) {
		if i.Code() < 400 {
			return nil
		}
		codes = append(codes, i.Code())
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// tenths returns a duration in seconds, to the tenth.
func tenths(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }

// maxWriters is how many writers are named.
const maxWriters = 8

// users returns who writes, in order of name, but for those who write less than a
// tenth of what another does: they are there by chance.
func users(items []item) []string {
	writes, most := map[string]int{}, 0
	for _, i := range writesOf(items) {
		name := i.name()
		writes[name]++
		most = max(most, writes[name])
	}
	maps.DeleteFunc(writes, func(_ string, n int) bool { return 10*n < most })
	names := slices.Sorted(maps.Keys(writes))
	return names[:min(len(names), maxWriters)]
}

// name names the client, with its program where it has no user.
func (i *item) name() string {
	switch {
	case i.Actor() != (audit.Sym{}):
		return analysis.Plain(i.Actor().String())
	case i.agent != (audit.Sym{}):
		return analysis.Plain(i.agent.String())
	}
	return "a client without a name"
}

// lines cites the first conflicts, the first writes and the last ones, and a
// read.
func lines(items []item) []audit.Ref {
	writes := writesOf(items)
	cited := slices.Clone(writes[:min(3, len(writes))])
	cited = append(cited, writes[max(0, len(writes)-2):]...)
	conflicts := slices.DeleteFunc(slices.Clone(writes), func(i item) bool { return !i.conflict() })
	cited = append(cited, conflicts[:min(2, len(conflicts))]...)
	if read := slices.IndexFunc(items, func(i item) bool { return i.read }); read >= 0 {
		cited = append(cited, items[read])
	}
	refs := make([]audit.Ref, len(cited))
	for n := range cited {
		refs[n] = cited[n].Ref()
	}
	return refs
}
