package analysis

import "github.com/kaudit/kaudit/audit"

// The verbs that the API server knows, the frequent ones first; requests
// outside /api and /apis have their HTTP method for a verb.
var verbs = [...]audit.Sym{
	audit.VerbGet, audit.VerbUpdate, audit.VerbWatch, audit.VerbPatch, audit.VerbList, audit.VerbCreate,
	audit.VerbDelete, audit.VerbDeleteCollection, audit.VerbProxy,
	audit.Intern("post"), audit.Intern("put"), audit.Intern("head"), audit.Intern("options"), audit.Intern("connect"),
}

// verbCounts count events by verb; the last count is of all other verbs, which
// a client may invent.
type verbCounts [len(verbs) + 1]int64

func (c *verbCounts) add(verb audit.Sym) {
	for i := range verbs {
		if verbs[i] == verb {
			c[i]++
			return
		}
	}
	c[len(verbs)]++
}

// Verb returns how many events have the verb, or 0 for a verb that the API
// server does not know.
func (f *Facts) Verb(verb audit.Sym) int64 {
	for i := range verbs {
		if verbs[i] == verb {
			return f.Verbs[i]
		}
	}
	return 0
}
