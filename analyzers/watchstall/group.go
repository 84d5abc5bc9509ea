package watchstall

import (
	"github.com/kaudit/kaudit/analysis"
)

// manyUsers is of how many users watches may be overdue together before it is
// the server's doing: programs of different users do not stop reading at once.
const manyUsers = 5

// caveats say what else it may be, by kind.
var caveats = map[string]string{
	"overdue": "watches of many users were overdue at that time: the API server, or its clock, may have stood still",
	"endless": "watches of many users lived as long: the server may allow it",
}

// group lowers what is said of overdue watches, and of endless ones, where those
// of many users overlap.
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

// overlap reports whether two were overdue at one time.
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
