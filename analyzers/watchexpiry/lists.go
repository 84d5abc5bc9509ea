package watchexpiry

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// reportLists tells of the longest row of lists at one version with no watch
// in between.
func (s *State) reportLists(p *analysis.Pass) {
	var row, longest listRow
	for _, l := range s.Lists.All() {
		if l.Dated == nil {
			continue
		}
		if !row.goesOn(s, l, p.Duration(optPause)) {
			row = listRow{}
		}
		row.cells = append(row.cells, l)
		row.sum.add(l.Dated)
		if row.sum.N > longest.sum.N {
			longest = row
		}
	}
	n, least := int(longest.sum.N), max(2, p.Int(optLists))
	refused := longest.sum.TooLarge == longest.sum.N // the server says what is wrong, and may catch up
	never := refused && longest.sum.At.Len() >= behind
	switch {
	case n >= least, never && 2*n >= least:
		longest.report(p, analysis.Warning)
	case refused && 2*n >= least, never && n >= min(fewRefused, least):
		longest.report(p, analysis.Info)
	}
}

const (
	// A server that is behind is so by seconds. One that does not reach a version
	// for a minute does not reach it at all, as where nothing of the resource
	// changes.
	behind = time.Minute
	// client-go asks without a version after it was refused one, and others try
	// once more. Who is refused the same three times does not know what to do.
	fewRefused = 3
)

// A listRow is lists at one version, one after the other.
type listRow struct {
	cells []*Lists
	sum   Dated
}

// goesOn reports whether l is the next of the row: at the same version, soon,
// and with no watch since.
func (r *listRow) goesOn(s *State, l *Lists, pause time.Duration) bool {
	if len(r.cells) == 0 {
		return false
	}
	since := r.sum.At.Last
	if l.Dated.RV != r.sum.RV || l.Dated.At.First.Sub(since) > pause {
		return false
	}
	for _, begun := range s.Begun.All() {
		if within(*begun, since, l.Dated.At.First) {
			return false
		}
	}
	return true
}

func (r *listRow) report(p *analysis.Pass, severity analysis.Severity) {
	f := analysis.Finding{
		Severity: severity, Confidence: analysis.Confirmed,
		Count: int(r.sum.N), First: r.sum.At.First, Last: r.sum.At.Last,
		Details: analysis.Details{
			"kind": "list-loop", "resourceVersion": fmt.Sprint(r.sum.RV),
			"lists": int(r.sum.N), "tooLarge": int(r.sum.TooLarge),
		},
	}
	f.Title = fmt.Sprintf("%s lists %s at resourceVersion %d again and again: %d lists within %s, and no watch in between",
		p.Key.Client().Text(), p.Key.ScopeText(), r.sum.RV, f.Count, f.Last.Sub(f.First).Round(time.Second))
	if r.sum.TooLarge > 0 {
		f.Title += fmt.Sprintf("; %d were refused because the server had not reached that version", r.sum.TooLarge)
		if r.sum.Current > 0 {
			f.Title += fmt.Sprintf(" (it was at %d)", r.sum.Current)
			f.Details["serverVersion"] = fmt.Sprint(r.sum.Current)
		}
	}
	var refs []audit.Ref
	for _, l := range r.cells {
		refs = append(refs, l.ref(&p.Key))
		f.Marks = append(f.Marks, analysis.Mark{Kind: "list", From: l.Dated.At.First, To: l.Dated.At.Last, N: int(l.Dated.N)})
	}
	f.Marks = analysis.Coarsen(f.Marks)
	f.Evidence = analysis.Cite(ends(refs, 2)...)
	p.Report(f)
}
