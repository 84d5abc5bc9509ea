// Package slowrequest tells which requests were slow, and where their time
// went.
//
// A State holds the requests of one client, verb and resource. Most requests are
// fast, and those are only counted; the room for slow ones is made when the
// first one comes. Report hands each State with slow requests on to Group as a
// candidate, and Group joins candidates that have a cause in common.
package slowrequest

import (
	"bytes"
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optSlow     = "slow"
	optLeast    = "least"
	optVerySlow = "very-slow"
	optRequests = "requests"
	optShare    = "share"
	optWebhook  = "webhook"
	optClients  = "clients"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "slow-request",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optSlow, Default: time.Second, Least: annotatedFrom, Doc: "A request that took this long is slow: Kubernetes promises (SLO) writes and single reads within a second. Half a second is the lowest value."},
			{Name: optLeast, Default: 3, Unit: "requests", Doc: "The fewest slow requests to report. More are left out, too, if they are only the tail: less than a twentieth, and none very slow."},
			{Name: optVerySlow, Default: 10 * time.Second, NotZero: true, Doc: "A request that took this long is very slow: here clients' own time limits begin (leases, kubelets)."},
			{Name: optRequests, Default: 20, Unit: "requests", Doc: "The fewest requests of which a share says something."},
			{Name: optShare, Default: 0.1, Unit: "of the requests", Doc: "A client is slow as a rule if this share of its requests is very slow: more than the tail of a busy machine."},
			{Name: optWebhook, Default: 3, Unit: "requests", Doc: "The fewest requests that a webhook's timeout ended, or that took one whole number of seconds, to be no chance."},
			{Name: optClients, Default: 3, Unit: "clients", Doc: "More clients than this that are slow at the same kind of request are one finding."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, SubSecond: true, Parts: []analysis.Part{
			{Sees: analysis.Reads, Unseen: "slow reads leave no trace"},
		}},
		Wants:   []audit.Class{audit.ClassComplete | audit.ClassDated | audit.ClassFine | audit.ClassShort | audit.ClassSwitched.Not()},
		RowKeys: []audit.Class{audit.Class5xx.Not()},
		Keys:    keys,
		New:     func() analysis.State { return &State{} },
		Group:   group,
	}
}

// keys takes requests that ended and are not long-running. Of server errors it
// takes only those that name a webhook: the analyzer request-timeout covers
// requests that ran into the time limits of the API server or etcd, and how long
// other errors took says nothing.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Stage != audit.StageResponseComplete || e.Received == 0 || e.Coarse || e.Code == 101 || e.LongRunning() {
		return keys
	}
	if e.Code >= 500 && !bytes.Contains(e.Message, textWebhook) {
		return keys
	}
	return append(keys, analysis.Key{
		Kind: e.Verb, User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(),
		Group: e.Group, Resource: e.Resource, Subresource: e.Subresource,
	})
}
