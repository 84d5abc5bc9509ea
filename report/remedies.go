package report

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
)

// untold returns the findings that the minima of o let through and that belong to
// none of the incidents that are shown.
func (r *Report) untold(o Options) []*analysis.Finding {
	told := map[string]bool{}
	for _, in := range r.shownIncidents(o) {
		for _, id := range in.Findings {
			told[id] = true
		}
	}
	var untold []*analysis.Finding
	shown := r.Shown(o)
	for i := range shown {
		if f := &shown[i]; !told[f.ID] {
			untold = append(untold, f)
		}
	}
	return untold
}

// remedies returns what to do about findings, by analyzer, in the order of findings.
// It is for findings that belong to no incident: an incident has a remedy that knows
// more.
func remedies(findings []*analysis.Finding) []fact {
	var all []fact
	for _, f := range findings {
		if f.Remedy == "" {
			continue
		}
		name, text := Clean(f.Analyzer), prose(f.Remedy)
		i := slices.IndexFunc(all, func(r fact) bool { return r.Label == name })
		if i < 0 {
			i = len(all)
			all = append(all, fact{Label: name})
		}
		if !slices.Contains(all[i].Texts, text) {
			all[i].Texts = append(all[i].Texts, text)
		}
	}
	return all
}

// remedies writes what to do about the findings that belong to no incident.
func (p *page) remedies(r *Report, o Options) {
	for i, remedy := range remedies(r.untold(o)) {
		if i == 0 {
			p.heading("What to do")
		}
		for _, text := range remedy.Texts {
			p.cited(2, remedy.Label+":", text)
		}
	}
}
