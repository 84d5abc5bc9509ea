package endpointflap

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// What states tell group, and nobody else.
const (
	detailUnnamed = "unnamed" // not a finding: creations of slices in a namespace
	detailAwaits  = "awaits"  // who would create the slice that is missing
	detailGap     = "gap"     // not a finding: a Service was deleted, and the log does not have that
	detailRounds  = "rounds"  // when slices were deleted that come back under other names
	detailReturns = "returns" // when slices were created whose names are known
	detailUnseen  = "unseen"  // how sure a finding is if the log lacks such deletions
)

// group drops slices that are missing where one that the log has no name of
// was created soon after by a controller that would make them good, and is
// less sure where the log lacks deletions of Services.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	findings = doubt(findings)
	var unnamed []analysis.Finding
	for i := range findings {
		if _, ok := findings[i].Details[detailUnnamed]; ok {
			unnamed = append(unnamed, findings[i])
		}
	}
	return slices.DeleteFunc(findings, func(f analysis.Finding) bool {
		if _, ok := f.Details[detailUnnamed]; ok {
			return true
		}
		if ends, ok := f.Details[detailRounds].([]audit.Time); ok {
			back := cameBack(p, &f, ends, unnamed)
			delete(f.Details, detailRounds)
			delete(f.Details, detailReturns)
			return !back
		}
		makers, ok := f.Details[detailAwaits].([]string)
		if !ok {
			return false
		}
		delete(f.Details, detailAwaits)
		return madeGood(p, &f, makers, unnamed)
	})
}

func madeGood(p *analysis.Pass, f *analysis.Finding, makers []string, unnamed []analysis.Finding) bool {
	gone := f.Marks[len(f.Marks)-1].From
	until := gone.Add(p.Duration(optSettle))
	for i := range unnamed {
		u := &unnamed[i]
		if u.Subject.Namespace != f.Subject.Namespace || !slices.Contains(makers, u.Subject.User) {
			continue
		}
		for _, m := range u.Marks {
			if m.To >= gone && m.From <= until {
				return true
			}
		}
	}
	return false
}
