package watchstall

import (
	"github.com/kaudit/kaudit/analysis"
)

// manyUsers is how many users' watches must be overdue together for the server to be the
// cause: programs of different users do not stop reading at once.
const manyUsers = 5

// caveats say, by kind of finding, what else may be the cause.
var caveats = map[string]string{
	"overdue": "watches of many users were overdue at that time: the API server, or its clock, may have stood still",
	"endless": "watches of many users lived as long: the server may allow it",
}

// group lowers findings of overdue and of endless watches if those of many users overlap.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	for i := range findings {
		f := &findings[i]
		kind := f.Details.Text("kind")
		if caveats[kind] == "" {
			continue
		}
		users := map[string]bool{}
		for j := range findings {
			if g := &findings[j]; g.Details.Text("kind") == kind && overlap(f.Marks, g.Marks) {
				users[g.Subject.User] = true
			}
		}
		if len(users) >= manyUsers {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveats[kind])
		}
	}
	return append(findings, forced(p)...)
}

// overlap reports whether any marks of a and b overlap.
func overlap(a, b []analysis.Mark) bool {
	for _, m := range a {
		for _, n := range b {
			if m.From <= n.To && n.From <= m.To {
				return true
			}
		}
	}
	return false
}
