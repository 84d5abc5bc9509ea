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
			{Name: optExpired, Default: 10, Unit: "watches", Doc: "So many expired watches of one client and scope within the window are a storm: a healthy client has one now and then."},
			{Name: optWindow, Default: 5 * time.Minute, Doc: "The time in which expired watches are counted: the API server keeps events for some minutes, so a client that listed is safe for longer."},
			{Name: optLists, Default: 10, Unit: "lists", Doc: "So many lists at one resourceVersion in a row, with no watch in between, are a loop: the next step after a list is a watch."},
			{Name: optPause, Default: 2 * time.Minute, Doc: "The longest pause in such a row: client-go backs off to 30s, jitter doubles it, and a list may take its time."},
			{Name: optClients, Default: 10, Unit: "clients", Doc: "So many clients that list again together are a storm: fewer are a few programs that were restarted."},
			{Name: optRelist, Default: time.Minute, Doc: "How soon after the loss of its watch a client lists: at once, or after it has backed off."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Fine: true},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// keys takes lists that were answered and watches that were served or ended.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	switch {
	case e.Verb == audit.VerbWatch && e.Stage != audit.StageRequestReceived:
	case e.Verb == audit.VerbList && e.Stage == audit.StageResponseComplete:
	default:
		return keys
	}
	if e.Resource == (audit.Sym{}) || e.Received == 0 || refused(e) {
		return keys
	}
	return append(keys, analysis.WatchKey(e))
}

// refused reports whether the request was turned away, which tells nothing of
// versions: 401, 403, 429, and 5xx but for the 504 of a version that is too
// large.
func refused(e *audit.Event) bool {
	return e.Code >= 400 && e.Code != 410 && e.Code != 504
}
