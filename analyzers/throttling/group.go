package throttling

import (
	"slices"

	"github.com/kaudit/kaudit/analysis"
)

// maxClients is how many others a finding names.
const maxClients = 16

// group names in each finding who else was refused at the time.
func group(_ *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	for i := range findings {
		f := &findings[i]
		var others []string
		for j := range findings {
			g := &findings[j]
			name := analysis.Plain(g.Subject.User)
			if g.Subject.User != f.Subject.User && g.Details.Text("kind") == kindRefused &&
				g.First <= f.Last && f.First <= g.Last && !slices.Contains(others, name) {
				others = append(others, name)
			}
		}
		if len(others) > 0 {
			slices.Sort(others)
			f.Details["clients"] = others[:min(len(others), maxClients)]
		}
	}
	return findings
}
