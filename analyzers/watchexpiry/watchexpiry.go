// Package watchexpiry finds clients that must begin anew too often: watches
// whose version the server no longer has, lists that bring nothing new, and
// many clients that list again at once.
package watchexpiry

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
	optExpired = "expired"
	optWindow  = "window"
	optLists   = "lists"
	optPause   = "list-pause"
	optClients = "clients"
	optRelist  = "relist-within"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "watch-expiry",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optExpired, Default: 10, Unit: "watches", Doc: "The fewest expired watches of one client and scope within the window that make a storm: a healthy client has one now and then."},
			{Name: optWindow, Default: 5 * time.Minute, NotZero: true, Doc: "The window in which expired watches are counted: the API server keeps events for some minutes, so a client that listed is safe for longer."},
			{Name: optLists, Default: 10, Unit: "lists", Doc: "The fewest lists in a row at one resourceVersion, without a watch in between, that make a loop: after a list a client should watch."},
			{Name: optPause, Default: 2 * time.Minute, Doc: "The longest pause in such a row: client-go backs off to 30s, jitter doubles it, and a list may take its time."},
			{Name: optClients, Default: 10, Unit: "clients", Doc: "The fewest clients listing again together that make a storm: fewer are a few programs that were restarted."},
			{Name: optRelist, Default: time.Minute, Doc: "How soon after it lost its watch a client lists: at once, or after backing off."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, SubSecond: true, Sees: analysis.Watches, Parts: []analysis.Part{analysis.NeverEnded}},
		Wants: []audit.Class{
			audit.ClassWatch | audit.ClassResource | audit.ClassDated | (audit.ClassReceived | refusals).Not(),
			audit.ClassList | audit.ClassResource | audit.ClassDated | audit.ClassComplete | refusals.Not(),
		},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// keys takes lists that were answered and watches that were served or ended.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Code >= 500 && e.Code != 504 { // of a version that is too large
		return keys
	}
	return append(keys, analysis.WatchKey(e))
}

// refusals are answers to requests that were turned away, which tell nothing
// of versions, as do those of 5xx but for one.
const refusals = audit.Class401 | audit.Class403 | audit.Class404 | audit.Class409 | audit.Class429 | audit.Class4xx
