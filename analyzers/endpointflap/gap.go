package endpointflap

import (
	"fmt"
	"slices"

	"github.com/kaudit/kaudit/analysis"
)

const caveatGaps = "writes of Services are missing in the log, as they are where several API servers answer: %s was created twice with no deletion in between, so this Service may have been deleted unseen as well"

// reportGap tells group of a Service that was deleted although no deletion is
// in the log: it was created twice.
func (s *State) reportGap(p *analysis.Pass) {
	creations := s.Service.creations()
	for i := 1; i < len(creations); i++ {
		first, again := creations[i-1], creations[i]
		if first.From == again.From || s.gone(p, first, again) {
			continue
		}
		p.Report(analysis.Finding{
			First: again.From, Last: again.To,
			Subject: analysis.Subject{Namespace: p.Key.Namespace.String(), Name: p.Key.Name},
			Details: analysis.Details{detailGap: true},
		})
		return
	}
}

// gone reports whether the log may have what deleted the Service between two
// creations. Clocks of several API servers differ somewhat.
func (s *State) gone(p *analysis.Pass, first, again *Move) bool {
	near := near(p)
	from, to := first.From.Add(-near), again.To.Add(near)
	if s.Service.deletedWithin(from, to) > 0 {
		return true
	}
	deletions, all := p.Facts.NamespaceDeleted(p.Key.Namespace.String())
	if !all {
		return true // the namespace may have been deleted meanwhile
	}
	for _, gone := range deletions {
		if gone.From <= to && from <= gone.To {
			return true
		}
	}
	del, ok := p.Facts.LastDelete(analysis.Scope{Resource: resServices, Namespace: p.Key.Namespace}, to)
	return ok && del.Name == "" && del.At >= from
}

// doubt makes findings less sure if the log lacks deletions of Services.
func doubt(findings []analysis.Finding) []analysis.Finding {
	var gap string
	findings = slices.DeleteFunc(findings, func(f analysis.Finding) bool {
		_, ok := f.Details[detailGap]
		if name := f.Subject.Namespace + "/" + f.Subject.Name; ok && (gap == "" || name < gap) {
			gap = name
		}
		return ok
	})
	for i := range findings {
		f := &findings[i]
		unseen, ok := f.Details[detailUnseen].(analysis.Confidence)
		delete(f.Details, detailUnseen)
		if ok && gap != "" {
			if unseen.Rank() < f.Confidence.Rank() {
				f.Confidence = unseen
			}
			f.Caveats = append(f.Caveats, fmt.Sprintf(caveatGaps, analysis.Plain(gap)))
		}
	}
	return findings
}
