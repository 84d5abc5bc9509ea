package leaselost

import (
	"fmt"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Report tells of the losses of the lease: one finding, about the worst. Where
// there is none, it tells of renewals that were late.
func (s *State) Report(p *analysis.Pass) {
	j := newJudge(p, s)
	losses := j.losses()
	if len(losses) == 0 {
		if row := j.slow(); row != nil {
			j.reportSlow(row)
		}
		return
	}
	worst := &losses[0]
	for i := range losses {
		if l := &losses[i]; rank(l) > rank(worst) || rank(l) == rank(worst) && l.gap() > worst.gap() {
			worst = l
		}
	}
	severity, confidence, caveats := weigh(worst)
	f := analysis.Finding{
		Severity: severity, Confidence: confidence, Caveats: caveats, Count: len(losses),
		First: losses[0].from, Last: losses[len(losses)-1].to,
		Subject: p.Key.Subject(), Title: j.title(worst, len(losses)),
		Details: j.details(worst, losses), Evidence: worst.evidence(),
	}
	f.Subject.User, f.Subject.SourceIP, f.Subject.UserAgent = worst.old.User, worst.old.SourceIP, worst.old.UserAgent
	var marks []analysis.Mark
	for i := range losses {
		marks = append(marks, analysis.Mark{Kind: "lapse", From: losses[i].from, To: losses[i].to, N: 1})
	}
	f.Marks = analysis.Coarsen(marks)
	p.Report(f)
}

// rank orders losses by how much they tell.
func rank(l *loss) int {
	severity, confidence, _ := weigh(l)
	return 10*severity.Rank() + confidence.Rank()
}

// What may be otherwise.
const (
	caveatHole    = "The log has a hole at that time: renewals may be missing in it."
	caveatSilent  = "The holder sent nothing that failed: it may have been stopped, or have gone on through an API server whose log is not here."
	caveatStopped = "A pod of the namespace was deleted or created shortly before: the holder may have been stopped without giving up the lease."
	caveatPods    = "Pods are written in more namespaces than are kept: one of this namespace may have been deleted shortly before, and have been the holder."
)

// weigh judges a loss. A new holder shows that the old one lost the lease,
// failed attempts show that it wanted to keep it.
func weigh(l *loss) (analysis.Severity, analysis.Confidence, []string) {
	severity := analysis.Warning
	var caveats []string
	if l.hole {
		caveats = append(caveats, caveatHole)
	}
	if l.excused() {
		severity = analysis.Info
	}
	if l.podDeleted {
		caveats = append(caveats, caveatStopped)
	} else if l.failed == 0 && l.restarted == 0 {
		caveats = append(caveats, caveatSilent)
	}
	if l.podUnknown {
		caveats = append(caveats, caveatPods)
	}
	switch {
	case l.hole && l.failed == 0, l.podDeleted, l.podUnknown:
		return severity, analysis.Possible, caveats
	case l.failed > 0 && l.kind == kindTakeover:
		return severity, analysis.Confirmed, caveats
	case l.failed > 0, l.kind == kindTakeover, l.restarted != 0 && l.kind == kindResumed:
		return severity, analysis.Likely, caveats
	}
	return severity, analysis.Possible, caveats
}

func (j *judge) title(l *loss, n int) string {
	upTo := ""
	if l.kind == kindStopped {
		upTo = ", up to the log's end,"
	}
	title := fmt.Sprintf("%s was not renewed for %s%s by %s", j.lease(), analysis.Short(l.gap()), upTo, l.old.who())
	if l.failed > 0 {
		title += fmt.Sprintf("; %s failed", analysis.Counted(l.failed, "attempt"))
	}
	if l.restarted != 0 {
		title += ", while an API server restarted"
	}
	switch l.kind {
	case kindTakeover:
		title += ", then " + l.next.who() + " took over"
	case kindResumed:
		title += ", then it was renewed from there again"
	}
	if n > 1 {
		title += fmt.Sprintf("; it lapsed %d times in all", n)
	}
	return analysis.Plain(title)
}

// lease names the lease.
func (j *judge) lease() string {
	key := j.pass.Key
	lease := "lease"
	if key.Resource != resLeases {
		lease = "lock in " + key.Resource.String()
	}
	return fmt.Sprintf("%s %s/%s", lease, key.Namespace, key.Name)
}

func (j *judge) details(l *loss, losses []loss) analysis.Details {
	d := analysis.Details{
		"kind":          l.kind,
		"losses":        len(losses),
		"takeovers":     0,
		"gapSeconds":    analysis.Seconds(l.gap()),
		"periodSeconds": analysis.Seconds(j.period),
		"lastsSeconds":  analysis.Seconds(j.lasts()),
		"failed":        l.failed,
		"holder":        analysis.Plain(l.old.Name),
		"holderIP":      l.old.SourceIP,
		"next":          "",
		"nextUser":      "",
		"nextIP":        "",
		"cause":         l.cause(),
		"messages":      []string{},
	}
	for i := range losses {
		if losses[i].kind == kindTakeover {
			d["takeovers"] = d.Int("takeovers") + 1
		}
	}
	if l.next != nil {
		d["next"], d["nextUser"], d["nextIP"] = analysis.Plain(l.next.Name), l.next.User, l.next.SourceIP
	}
	if l.failed > 0 {
		d["messages"] = analysis.PlainAll(l.messages.Members())
	}
	return d
}

// cause says what the log tells of why: details.cause.
func (l *loss) cause() string {
	switch {
	case l.restarted != 0:
		return "api-restart"
	case l.failed > 0:
		return "errors"
	case l.podDeleted:
		return "pod-deleted"
	case l.hole:
		return "hole"
	}
	return "silence"
}

// evidence cites the last renewal, what failed, and the next renewal.
func (l *loss) evidence() []analysis.Evidence {
	const most = analysis.MaxEvidence - 2
	refs := []audit.Ref{l.last.Ref()}
	for _, b := range l.failures {
		for _, late := range []audit.Ref{b.First.Ref(), b.Last.Ref()} {
			if len(refs) <= most-1 && !slices.ContainsFunc(refs, func(r audit.Ref) bool { return r.Compare(late) == 0 }) {
				refs = append(refs, late)
			}
		}
	}
	if l.first != nil {
		refs = append(refs, l.first.Ref())
	}
	return analysis.Cite(refs...)
}
