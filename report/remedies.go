package report

import "github.com/kaudit/kaudit/analysis"

// keepRemedies drops the remedies that no finding asks for.
func (r *Report) keepRemedies() {
	kept := map[string]string{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if text := r.Remedies[f.Analyzer]; text != "" && isFault(f) {
			kept[f.Analyzer] = text
		}
	}
	r.Remedies = kept
}

// isFault reports whether something is to be done about f. Info is no fault by
// itself.
func isFault(f *analysis.Finding) bool { return f.Severity.Rank() > analysis.Info.Rank() }

// untold returns the findings that the minima of o let through and that none
// of the incidents that are shown tells of.
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

// remedies returns what to do about findings, by analyzer, in their order. An
// incident's remedy is better, since it knows more: they are for findings that
// none tells of.
func (r *Report) remedies(findings []*analysis.Finding) []fact {
	var all []fact
	seen := map[string]bool{}
	for _, f := range findings {
		if text := r.Remedies[f.Analyzer]; text != "" && isFault(f) && !seen[f.Analyzer] {
			seen[f.Analyzer] = true
			all = append(all, fact{Clean(f.Analyzer), []string{prose(text)}})
		}
	}
	return all
}

// remedies writes what to do about the findings that no incident tells of.
func (p *page) remedies(r *Report, o Options) {
	for i, remedy := range r.remedies(r.untold(o)) {
		if i == 0 {
			p.heading("What to do")
		}
		p.cited(2, remedy.Label+":", remedy.Texts[0])
	}
}
