package watchstall

import (
	"github.com/kaudit/kaudit/analysis"
)

// manyUsers is of how many users watches may be overdue together before it is
// the server's doing: programs of different users do not stop reading at once.
const manyUsers = 5

const caveatServer = "watches of many users were overdue at that time: the API server, or its clock, may have stood still"

// group lowers what is said of overdue watches where those of many users
// overlap.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	for i := range findings {
		f := &findings[i]
		if !isOverdue(f) {
			continue
		}
		users := map[string]bool{}
		for j := range findings {
			if g := &findings[j]; isOverdue(g) && overlap(f.Marks, g.Marks) {
				users[g.Subject.User] = true
			}
		}
		if len(users) >= manyUsers {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatServer)
		}
	}
	return append(findings, forced(p)...)
}

func isOverdue(f *analysis.Finding) bool { return f.Details.Text("kind") == "overdue" }

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
