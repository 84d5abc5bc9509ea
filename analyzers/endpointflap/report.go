package endpointflap

import (
	"fmt"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// finding begins a finding about cycles, and about the last deletion.
func (j *judge) finding(fl *flap, v verdict) analysis.Finding {
	del, created := j.actors(fl, v)
	f := analysis.Finding{
		Severity: j.severity(fl, v.missing), Count: fl.count(),
		Subject: analysis.Subject{
			Namespace: j.pass.Key.Namespace.String(), Name: j.pass.Key.Name,
			User: del.User, UserAgent: del.UserAgent, SourceIP: del.SourceIP,
		},
		Details: analysis.Details{
			"cycles": fl.count(), "missing": v.missing,
			"longestOutageSeconds": 0.0, "totalOutageSeconds": fl.total.Seconds(),
			"deletedBy": del.User, "deletedByUserAgent": del.UserAgent,
			"createdBy": created.User, "createdByUserAgent": created.UserAgent,
			"serviceKnown": j.state.Known > 0,
		},
		Evidence: analysis.Cite(j.lines(fl, v)...),
		Marks:    j.marks(fl, v),
	}
	if !v.missing {
		fl.open = nil
	}
	f.First, f.Last = fl.span()
	j.confidence(&f, fl, del, v)
	if longest := fl.longest(); longest != nil {
		f.Details["longestOutageSeconds"] = longest.outage().Seconds()
	}
	if v.missing {
		f.Count++
	}
	if fl.sampled {
		f.Caveats = append(f.Caveats, caveatSampled)
	}
	return f
}

// actors returns who made most of the deletions, and most of the creations.
func (j *judge) actors(fl *flap, v verdict) (del, created Move) {
	var deletions, creations []*Move
	for i := range fl.cycles {
		deletions = append(deletions, fl.cycles[i].deleted)
		creations = append(creations, fl.cycles[i].created)
	}
	if v.missing {
		deletions = append(deletions, fl.open)
	}
	return most(deletions), most(creations)
}

// title tells how often, for how long, and who did it.
func (j *judge) title(what string, fl *flap, v verdict) string {
	del, created := j.actors(fl, v)
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s/%s were deleted ", what, j.pass.Key.Namespace, analysis.Plain(j.pass.Key.Name))
	n := fl.count()
	switch {
	case n == 0:
		fmt.Fprintf(&b, "by %s and not created again", del.who())
		return b.String()
	case n == 1:
		b.WriteString("and created again once")
	default:
		first, last := fl.span()
		fmt.Fprintf(&b, "and created again %d times within %s", n, last.Sub(first).Round(time.Second))
	}
	fmt.Fprintf(&b, ", deleted by %s", del.who())
	if created.User != del.User || created.UserAgent != del.UserAgent {
		fmt.Fprintf(&b, ", created by %s", created.who())
	} else {
		b.WriteString(", who created them too")
	}
	fmt.Fprintf(&b, "; gone for %s", fl.total.Round(time.Millisecond))
	if longest := fl.longest(); longest != nil && n > 1 {
		fmt.Fprintf(&b, " in all, %s at most", longest.outage().Round(time.Millisecond))
	}
	if v.missing {
		b.WriteString(", and missing since the last deletion")
	}
	return b.String()
}

// marks are the outages; the last one has no end if it is open.
func (j *judge) marks(fl *flap, v verdict) []analysis.Mark {
	var marks []analysis.Mark
	for i := range fl.cycles {
		c := &fl.cycles[i]
		marks = append(marks, analysis.Mark{
			Kind: "outage", From: c.deleted.To, To: max(c.deleted.To, c.created.To), N: int(c.n),
		})
	}
	if v.missing {
		marks = append(marks, analysis.Mark{Kind: "outage", From: fl.open.To, To: j.pass.Facts.Span.Last, N: 1})
	}
	return analysis.Coarsen(marks)
}

// lines cite the first outage, the longest, the last, and what is missing.
func (j *judge) lines(fl *flap, v verdict) []audit.Ref {
	var moves []*Move
	if n := len(fl.cycles); n > 0 {
		for _, c := range []*cycle{&fl.cycles[0], fl.longest(), &fl.cycles[n-1]} {
			if c != nil {
				moves = append(moves, c.deleted, c.created)
			}
		}
	}
	if v.missing {
		moves = append(moves, fl.open)
	}
	var refs []audit.Ref
	for _, m := range moves {
		refs = append(refs, j.ref(m))
	}
	return refs
}

func (j *judge) ref(m *Move) audit.Ref {
	about := audit.Event{
		Received: m.From, Verb: audit.Intern(m.Verb), User: audit.Intern(m.User),
		Resource: resEndpoints, Namespace: j.pass.Key.Namespace, Name: audit.View(j.pass.Key.Name),
	}
	if m.IsSlice {
		about.Group, about.Resource, about.Name = groupSlices, resSlices, audit.View(m.Slice)
	}
	return m.Line.Ref(about)
}
