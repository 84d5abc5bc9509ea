// Package watchstall finds clients that opened watches and stopped reading
// them: the server's write blocks, and the watch outlives its time.
package watchstall

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
	optMany      = "critical-from"
	optPile      = "pile"
	optPileFor   = "pile-for"
	optServerMax = "server-max"
	optCutShort  = "cut-short"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "watch-stall",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optMany, Default: 3, Unit: "watches", Doc: "The fewest overdue watches of one client that are critical: each holds a goroutine and its buffers in the API server."},
			{Name: optPile, Default: 5, Unit: "watches", Doc: "The fewest watches of one client for the initial state, open at once, that make a pile: a program needs one for each resource it watches."},
			{Name: optPileFor, Default: time.Minute, Doc: "How long they must be open together: sending the state to a healthy reader takes seconds."},
			{Name: optServerMax, Default: time.Hour, NotZero: true, Doc: "When the server ends a watch that asked for no timeout: twice its --min-request-timeout, which is 30m by default."},
			{Name: optCutShort, Default: 5, Unit: "watches", Doc: "The fewest watches for the initial state that ended after 30s to report: a server with a limit on stalled watches ends them like that."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Seconds: true, Sees: analysis.Watches, Parts: []analysis.Part{analysis.NeverEnded}},
		Wants: []audit.Class{
			audit.ClassWatch | audit.ClassResource | audit.ClassDated | audit.ClassUnanswered | audit.ClassSwitched | audit.ClassOK,
			audit.ClassWatch | audit.ClassResource | audit.ClassDated | audit.ClassComplete | audit.ClassPanic,
		},
		RowKeys: []audit.Class{0},
		Keys:    keys,
		New:     func() analysis.State { return newState() },
		Group:   group,
	}
}

// keys takes watches by client: what one client has open at once matters,
// whatever it watches. One that failed counts for nothing but has ended.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	return append(keys, analysis.Key{User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP()})
}
