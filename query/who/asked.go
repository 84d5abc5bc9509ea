package who

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

var (
	nodes      = audit.Intern("nodes")
	namespaces = audit.Intern("namespaces")
	leases     = audit.Intern("leases")
	events     = audit.Intern("events")
	scale      = audit.Intern("scale")
	eviction   = audit.Intern("eviction")
)

const nodeUser = "system:node:"

// An ask is a kind of deed that a question may be about.
type ask struct {
	deed  string
	words []string // synonyms of deed
	verbs []string // verbs of requests that may have been failed attempts at it

	is    func(*audit.Event) bool // reports whether an event that names its object is such a deed
	maybe func(*audit.Event) bool // reports whether one that names none may be; nil for never
}

var asks = []ask{
	{
		deed: "deleted", words: []string{"delete", "removed"}, verbs: []string{"delete"},
		is:    func(e *audit.Event) bool { return e.Wrote() && (isDelete(e) && ofAll(e) || isEviction(e)) },
		maybe: func(e *audit.Event) bool { return e.Wrote() && e.Verb == audit.VerbDeleteCollection },
	},
	{
		deed: "created", words: []string{"create", "made"}, verbs: []string{"create"},
		is: isCreate, maybe: isCreate,
	},
	{
		deed: "changed", words: []string{"change", "updated", "patched", "edited"}, verbs: []string{"update", "patch"},
		is: func(e *audit.Event) bool { return e.Wrote() && isChange(e) && e.Subresource != audit.SubStatus },
	},
	{ // takes any change that may be a scaling; onlyScalings drops those that are none
		deed: "scaled", words: []string{"scale"}, verbs: []string{"update", "patch"},
		is: func(e *audit.Event) bool {
			return e.Wrote() && isChange(e) && (e.Subresource == scale || ofAll(e) && e.Level >= audit.LevelRequest)
		},
	},
	{
		deed: "evicted", words: []string{"evict", "drained"}, verbs: []string{"create"},
		is: func(e *audit.Event) bool {
			return isEviction(e) || e.Wrote() && isDelete(e) && isEvictor(e.User.String())
		},
	},
	{
		deed: "execed", words: []string{"exec", "exec'd", "attached"},
		is: func(e *audit.Event) bool { return isSession(e) && (e.Code < 400 || e.Code == 0) },
	},
	{
		deed: "read", words: []string{"got", "listed", "watched", "seen"},
		is: func(e *audit.Event) bool {
			return (e.Verb == audit.VerbGet || readsMany(e)) && e.Code < 400 && !isSession(e) && e.Stage != audit.StagePanic
		},
		maybe: func(e *audit.Event) bool { return readsMany(e) && e.Code < 400 },
	},
	{
		deed: "denied", words: []string{"forbidden", "refused"},
		is: isDenied, maybe: isDenied,
	},
}

// Deeds returns the deeds that a question may ask about.
func Deeds() []string {
	var all []string
	for _, a := range asks {
		all = append(all, a.deed)
	}
	return all
}

// askFor returns the ask that a word stands for, or nil.
func askFor(word string) *ask {
	for i := range asks {
		if asks[i].deed == word || slices.Contains(asks[i].words, word) {
			return &asks[i]
		}
	}
	return nil
}

func isDenied(e *audit.Event) bool { return e.Code == 401 || e.Code == 403 }

func isDelete(e *audit.Event) bool {
	return e.Verb == audit.VerbDelete || e.Verb == audit.VerbDeleteCollection
}

func isCreate(e *audit.Event) bool { return e.Wrote() && e.Verb == audit.VerbCreate && ofAll(e) }

func isChange(e *audit.Event) bool { return e.Verb == audit.VerbUpdate || e.Verb == audit.VerbPatch }

func isEviction(e *audit.Event) bool {
	return e.Subresource == eviction && e.Verb == audit.VerbCreate
}

func isSession(e *audit.Event) bool {
	return e.Subresource == audit.SubExec || e.Subresource == audit.SubAttach
}

// readsMany reports whether an event reads a collection.
func readsMany(e *audit.Event) bool { return e.Verb == audit.VerbList || e.Verb == audit.VerbWatch }

// ofAll reports whether an event is about a whole object, not a subresource.
func ofAll(e *audit.Event) bool { return e.Subresource == audit.Sym{} }

// isEvictor reports whether a user is a controller that deletes the pods of nodes
// that are not ready or tainted.
func isEvictor(user string) bool {
	return strings.HasSuffix(user, ":node-controller") || strings.HasSuffix(user, ":taint-eviction-controller")
}
