// Package throttling tells which clients the API server refused or kept
// waiting because it had too much to do, and whose requests those were.
//
// A State holds one client's refused and queued requests for one resource, by
// minute. The Facts know how many requests each client made in a minute, and so
// what share was refused and who made the load. Requests that were refused since
// the API server had not read a resource yet are one State, of all clients.
package throttling

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
	optRefused   = "refused"
	optShare     = "share"
	optQueueWait = "queue-wait"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "throttling",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optRefused, Default: 10, Unit: "requests", Doc: "The fewest requests refused within a minute that are a warning: clients repeat a refused request after a second or more, so a few cost little."},
			{Name: optShare, Default: 0.1, Unit: "of the requests", Doc: "The share of a client's requests in that minute that must have been refused: to refuse less is what priority and fairness is for."},
			{Name: optQueueWait, Default: 5 * time.Second, Doc: "A request that waited this long in a queue was held up: a third of the time after which it is refused. A slow machine makes waits of a second or two."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Parts: []analysis.Part{
			{Sees: analysis.Reads, Unseen: "refused reads leave no trace, nor does the load that they make"},
		}},
		Wants: []audit.Class{audit.ClassComplete | audit.ClassPanic},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

var (
	queueWait   = audit.Intern("apiserver.latency.k8s.io/apf-queue-wait")
	subEviction = audit.Intern("eviction")
)

// keys takes requests that were answered 429 or waited in a queue for a second or
// longer. It leaves out evictions, where 429 says that a PodDisruptionBudget
// forbids it. Requests refused for want of a watch cache go by resource.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if !e.Final() || e.Code != 429 && !waited(e) || e.Subresource == subEviction {
		return keys
	}
	if unready(e) {
		return append(keys, analysis.Key{Kind: symUnready, Group: e.Group, Resource: e.Resource})
	}
	return append(keys, analysis.Key{User: e.Actor(), UserAgent: e.UserAgent, Group: e.Group, Resource: e.Resource})
}

// waited reports whether the request waited in a queue for a second or longer. It
// looks at the unit alone, since Go writes a duration below a second in ms, µs or
// ns.
func waited(e *audit.Event) bool {
	wait := e.Annotation(queueWait)
	n := len(wait)
	return n > 1 && wait[n-1] == 's' && wait[n-2] >= '0' && wait[n-2] <= '9'
}
