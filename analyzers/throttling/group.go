package throttling

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// maxClients is how many other refused users a finding names.
const maxClients = 16

// A victim is a user who was refused, and when.
type victim struct {
	user, name  string
	first, last audit.Time
}

// group adds to each finding what share of the client's requests was refused over
// all resources and who else was refused at the time, and joins findings that
// tell of one event.
func group(p *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	addUp(p, findings)
	name(findings)
	findings = joinUnready(joinVictims(joinPrograms(findings)))
	for i := range findings {
		delete(findings[i].Details, detailWorst)
		delete(findings[i].Details, detailMinutes)
	}
	return findings
}

// name puts into each finding's details the other users who were refused at the
// time: the first maxClients of them in alphabetical order. There may be
// thousands, so they are sorted once, and each search ends when it has enough.
func name(findings []analysis.Finding) {
	var victims []victim
	for i := range findings {
		if f := &findings[i]; f.Details.Text("kind") == kindRefused {
			victims = append(victims, victim{f.Subject.User, analysis.Plain(f.Subject.User), f.First, f.Last})
		}
	}
	slices.SortFunc(victims, func(a, b victim) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last))
	})
	for i := range findings {
		f := &findings[i]
		var others []string
		for j := range victims {
			v := &victims[j]
			if v.user == f.Subject.User || v.first > f.Last || f.First > v.last {
				continue
			}
			if len(others) > 0 && others[len(others)-1] == v.name {
				continue
			}
			if others = append(others, v.name); len(others) == maxClients {
				break
			}
		}
		if len(others) > 0 {
			f.Details["clients"] = others
		}
	}
}
