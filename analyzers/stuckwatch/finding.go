package stuckwatch

import (
	"fmt"
	"strconv"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// finding returns a finding about a track, still without severity, confidence,
// title and evidence.
func (w *watcher) finding(kind string, t *track) analysis.Finding {
	span := t.span()
	f := analysis.Finding{
		Count: t.rounds(), First: span.From, Last: span.To,
		Details: analysis.Details{
			"kind":            kind,
			"resourceVersion": fmt.Sprint(t.rv),
			"rounds":          t.rounds(),
			"writesInScope":   w.writes(span.From, span.To),
		},
		Marks: roundMarks(t.runs),
	}
	if !t.exact() {
		f.Caveats = append(f.Caveats, caveatSampled)
	}
	return f
}

const caveatSampled = "there were too many watches to keep each: they are counted by version, and a sample of them was compared with writes"

// roundMarks returns one mark for each watch where a run has no more than two,
// else one mark for the whole run.
func roundMarks(runs []*Run) []analysis.Mark {
	var marks []analysis.Mark
	for _, run := range runs {
		if run.rounds() == 2 && !run.First.Refused && !run.last().Refused {
			marks = append(marks, run.First.mark(), run.last().mark())
			continue
		}
		marks = append(marks, analysis.Mark{
			Kind: "round", From: run.First.From, To: max(run.First.To, run.last().To, run.last().From), N: run.rounds(),
		})
	}
	return analysis.Coarsen(marks)
}

func (r Round) mark() analysis.Mark {
	return analysis.Mark{Kind: "round", From: r.From, To: max(r.From, r.To), N: 1}
}

// lines returns references to the first rounds and to the last ones, at most n
// in all. Of a run only the first watch has its line kept, so others are passed
// over.
func (w *watcher) lines(rounds []round, n int) []audit.Ref {
	var refs []audit.Ref
	for i, r := range rounds {
		first := r.compare(r.run.First) == 0
		if first && (i < n-n/2 || i >= len(rounds)-n/2) {
			refs = append(refs, w.ref(r))
		}
	}
	return refs
}

// ref returns the line of a round that is the first of its run.
func (w *watcher) ref(r round) audit.Ref {
	about := audit.Event{
		Received: r.From, Verb: audit.VerbWatch, User: w.key.User, Group: w.key.Group,
		Resource: w.key.Resource, Namespace: w.key.Namespace, Name: audit.View(w.key.Name),
	}
	if r.run.RV != 0 {
		about.URI = audit.View("?resourceVersion=" + strconv.FormatUint(r.run.RV, 10))
	}
	return r.run.Line.Ref(about)
}
