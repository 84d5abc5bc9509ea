// Package hijackedlatency tells how long sessions lasted. A session is a request
// whose connection was hijacked, that is, upgraded and handed over by the HTTP
// server: exec, attach, portforward, and upgrades through a proxy. Streams, which
// are logs -f and plain proxied requests, are told apart from them.
//
// A State holds the sessions of one client, namespace and subresource: how long
// they took, the longest ones, those without an end, by log, and upgrades that
// ended at once. Report finds out why a session has no end, from the starts of
// the API server and the end of the log. Group finds out whether a client's
// sessions, over all subresources, were cut at one length.
package hijackedlatency

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
	optThreshold    = "threshold"
	optUnfinished   = "unfinished"
	optPatience     = "patience"
	optCutSessions  = "cut-sessions"
	optCutSpread    = "cut-spread"
	optCutMin       = "cut-min"
	optDeadWithin   = "dead-within"
	optDeadUpgrades = "dead-upgrades"
	optShowCommands = "show-commands"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "hijacked-latency",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optThreshold, Default: time.Minute, Doc: "A session that lasted this long is long: here the longest class of the API server's own log begins."},
			{Name: optUnfinished, Default: 3, Unit: "sessions", Doc: "The fewest sessions without an end that make a leak, if others of their kind do end: one or two may be somebody at work."},
			{Name: optPatience, Default: 10.0, NotZero: true, Unit: "times", Doc: "A session is overdue when it has been open for this many times as long as 95 of 100 others took."},
			{Name: optCutSessions, Default: 5, Unit: "sessions", Doc: "The fewest sessions of one length that are no chance: people and commands end at times of their own."},
			{Name: optCutSpread, Default: 0.01, Unit: "of the length", Doc: "How far lengths may differ and still count as one, but at least by a second: idle timers are exact, but the cut is noticed a little later."},
			{Name: optCutMin, Default: 20 * time.Second, Doc: "Shorter sessions are commands; proxies wait longer before they cut."},
			{Name: optDeadWithin, Default: 15 * time.Millisecond, Doc: "An upgrade that ends so soon after it was answered carried nothing: the API server upgrades before it connects, and a refused connection takes some 10 ms."},
			{Name: optDeadUpgrades, Default: 3, Unit: "upgrades", Doc: "The fewest dead upgrades to one target, without a session that lasted, to say that it can't be reached."},
			{Name: optShowCommands, Default: false, Doc: "Show whole command lines instead of the program's name: they may hold passwords."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, HTTPLogEnds: true, SubSecond: true, OrBeginnings: true, Parts: []analysis.Part{
			analysis.NeverEnded,
			analysis.SessionEnds,
			{Sees: analysis.Reads, Unseen: "sessions over WebSocket (get), as kubectl has them from 1.31 on, leave no trace"},
		}},
		Wants: []audit.Class{audit.ClassStream | audit.ClassWatch.Not()},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// keys takes requests for streaming subresources in all stages. Watches are not
// among them (see Wants), even if one runs over a WebSocket.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	return append(keys, analysis.Key{
		User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(),
		Namespace: e.Namespace, Subresource: e.Subresource,
	})
}
