// Package stuckwatch finds clients that watch from one resourceVersion again
// and again while what they watch moves on.
//
// The terms: a round is one watch request. A run is the rounds from one
// resourceVersion within one step of time; a track is all rounds from it.
//
// A State holds the rounds of one client and scope (resource, namespace and
// selectors) over time. Report makes tracks of them, compares these with the
// writes in the scope, and judges each as stuck, as a tight loop, or as neither.
// It also looks for versions that go backwards, and for watches that ask for the
// initial state over and over.
package stuckwatch

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
	optRounds     = "rounds"
	optSkew       = "skew"
	optExcerpt    = "excerpt-rounds"
	optLoopRounds = "loop-rounds"
	optLoopPause  = "loop-pause"
	optZeroRounds = "zero-rounds"
	optZeroPause  = "zero-pause"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "stuck-watch",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optRounds, Default: 3, Unit: "watches", Doc: "The fewest watches from one version to look at: two that missed a write, and one that shows that they did."},
			{Name: optSkew, Default: time.Second, Doc: "How far servers' clocks and logs may differ: a write this close to the edge of a round proves nothing, and a watch may begin this long before the last one ended."},
			{Name: optExcerpt, Default: 5, Unit: "watches", Doc: "The fewest watches from one version to report in an excerpt without writes by others: healthy busy resources repeat a version up to four times."},
			{Name: optLoopRounds, Default: 10, Unit: "watches", Doc: "The fewest watches from one version that end at once to call a loop: a reflector lists again after the first."},
			{Name: optLoopPause, Default: time.Minute, Doc: "The longest pause within a loop: client-go backs off to 30s, and jitter doubles it."},
			{Name: optZeroRounds, Default: 10, Unit: "watches", Doc: "The fewest watches in a row that each ask for the initial state to report."},
			{Name: optZeroPause, Default: 2 * time.Second, Doc: "The longest pause between these: a person who types a command again takes longer."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Seconds: true, Sees: analysis.Watches},
		Wants: []audit.Class{
			audit.ClassWatch | audit.ClassResource | audit.ClassDated | audit.Class401.Not(), // a 401 names no client
			audit.ClassList | audit.ClassResource | audit.ClassDated | audit.ClassComplete | audit.ClassOK,
		},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// keys takes watches in all stages, and lists that were answered: a list gives
// the client a new resourceVersion to watch from.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Verb == audit.VerbList && e.Code != 200 {
		return keys
	}
	return append(keys, analysis.WatchKey(e))
}
