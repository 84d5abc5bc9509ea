package stuckwatch

import "github.com/kaudit/kaudit/analysis"

const caveatQuiet = "several watches of this client repeat their version in this excerpt, as they do in a quiet cluster"

// group lowers the confidence of findings that rest on an excerpt (see unseen)
// where one client has several: one of its watches may be stuck, but if all of
// them repeat their resourceVersion, nothing is being written.
func group(_ *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	scopes := map[analysis.Subject]int{}
	for i := range findings {
		if fromExcerpt(&findings[i]) {
			scopes[clientOf(&findings[i])]++
		}
	}
	for i := range findings {
		if f := &findings[i]; fromExcerpt(f) && scopes[clientOf(f)] > 1 {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatQuiet)
		}
	}
	return findings
}

func fromExcerpt(f *analysis.Finding) bool {
	excerpt, _ := f.Details["excerpt"].(bool)
	return excerpt
}

func clientOf(f *analysis.Finding) analysis.Subject {
	return analysis.Subject{User: f.Subject.User, UserAgent: f.Subject.UserAgent, SourceIP: f.Subject.SourceIP}
}
