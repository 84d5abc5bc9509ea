// Package hotloop finds objects that are written again and again: by one
// client, by two taking turns, or in vain, with a conflict each time.
//
// A state holds a resource, with the requests for single objects of it that
// all clients made. While they are few it keeps them all, and looks at them one
// by one. Of more it keeps a sample, which tells names, and counts by object and
// minute in a sketch, which tells how many: a key for each object would be one
// for each object of the cluster, and past the cap of keys the object in
// question would be as likely left out as any other.
package hotloop

import (
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optWrites      = "writes"
	optWindow      = "window"
	optConflicts   = "conflicts"
	optTurns       = "turns"
	optRequests    = "requests"
	optSpell       = "spell"
	optBurst       = "burst"
	optHeartbeat   = "heartbeat"
	optManyObjects = "many-objects"
	optSame        = "same"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "hot-loop",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optWrites, Default: 100, Unit: "writes", Doc: "The fewest writes to one object within the window that make a loop: a rollout, a lock and a heartbeat make fewer."},
			{Name: optWindow, Default: 2 * time.Minute, NotZero: true, Doc: "The window in which writes, conflicts and turns are counted: longer than a burst of reconciling after a change."},
			{Name: optConflicts, Default: 20, Unit: "conflicts", Doc: "The fewest conflicts of one client on one object within the window, half of its writes or more, that are no chance: a client that reads again is right the next time."},
			{Name: optTurns, Default: 20, Unit: "turns", Doc: "The fewest times within the window that an object changes hands between two clients that undo each other's work: clients that each own a part of it take turns only by chance."},
			{Name: optRequests, Default: 60, Unit: "requests", Doc: "The fewest requests of one client for one object within a spell, some of them writes, that show a client without a pause: two a second. A lock that is read and renewed every two seconds takes one a second."},
			{Name: optSpell, Default: 30 * time.Second, NotZero: true, Doc: "The window in which these requests are counted: longer than it takes to catch up with a change at client-go's default of five requests a second."},
			{Name: optBurst, Default: 15 * time.Second, Least: time.Second, Doc: "The window in which token requests, and the writes of a client that rewrites many objects, are counted: such a client writes to each of them in every fifth of it."},
			{Name: optHeartbeat, Default: time.Second, Doc: "The shortest period of a heartbeat: a writer that steadily keeps this period or a longer one is no loop. Locks are renewed every two seconds by default."},
			{Name: optManyObjects, Default: 3, Unit: "objects", Doc: "The fewest objects of a resource in loops of one client that make one finding."},
			{Name: optSame, Default: 0.8, Unit: "of the writes", Doc: "A client that rewrites many objects is in a loop if this share of its writes is to objects that it writes all the time: those of a rollout come and go."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}},
		Wants: []audit.Class{
			audit.ClassComplete | audit.ClassNamed | audit.ClassResource | audit.ClassUpdate | audit.ClassPatch | refusals.Not(),
			audit.ClassComplete | audit.ClassNamed | audit.ClassResource | audit.ClassCreate | audit.Class409,
			audit.ClassWrote | audit.ClassNamed | audit.ClassCreate | audit.ClassSubresource, // see isTokenRequest
			audit.ClassComplete | audit.ClassNamed | audit.ClassResource | audit.ClassGet | audit.ClassWhole | refusals.Not(),
		},
		RowKeys: []audit.Class{audit.ClassGet, audit.ClassWrote},
		Keys:    keys,
		New:     func() analysis.State { return newState() },
	}
}

// keys takes the answered requests for one object: updates, patches and gets,
// creates of what is there already, and of tokens. A request that was refused (401,
// 403, 429) or that the API server failed (500 and above) is other analyzers'
// matter: whoever tries that again does as it should.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Stage != audit.StageResponseComplete || len(e.Name) == 0 || e.Resource == (audit.Sym{}) {
		return keys
	}
	switch e.Verb {
	case audit.VerbUpdate, audit.VerbPatch:
		if refused(e.Code) || e.Code < 300 && !e.Wrote() { // a dry run
			return keys
		}
	case audit.VerbCreate:
		if e.Code != 409 && !(isTokenRequest(e) && e.Wrote()) {
			return keys
		}
	case audit.VerbGet:
		if e.Subresource != (audit.Sym{}) || refused(e.Code) {
			return keys
		}
	default:
		return keys
	}
	return append(keys, analysis.Key{Group: e.Group, Resource: e.Resource})
}

// refusals are the answers of which refused speaks.
const refusals = audit.Class401 | audit.Class403 | audit.Class429 | audit.Class5xx

func refused(code int) bool { return code == 401 || code == 403 || code == 429 || code >= 500 }

var subToken = audit.Intern("token")

// isTokenRequest reports whether a create asks for a service account's token,
// which leaves the object as it is.
func isTokenRequest(e *audit.Event) bool {
	return e.Verb == audit.VerbCreate && e.Subresource == subToken
}
