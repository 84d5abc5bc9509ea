package analysis

import (
	"github.com/kaudit/kaudit/audit"
)

// Facts are what many analyzers need to know of the whole log: built once, by
// the same law as states, and given to every Report.
type Facts struct {
	Events int64                                 `json:"events"`
	Coarse int64                                 `json:"coarse"` // events with whole seconds only
	Stages [audit.StagePanic + 1]int64           `json:"stages"` // events by stage
	Levels [audit.LevelRequestResponse + 1]int64 `json:"levels"` // events by level
}

// NewFacts returns the facts of an empty log.
func NewFacts() *Facts { return &Facts{} }

// Observe takes in an event. Of one that is not selected, only what is asked
// of the whole log counts: span, holes, stages and levels.
func (f *Facts) Observe(e *audit.Event, selected bool) {
	f.Events++
	f.Stages[e.Stage]++
	f.Levels[e.Level]++
	if e.Coarse {
		f.Coarse++
	}
}

// Merge takes in what o knows. o is not used again.
func (f *Facts) Merge(o *Facts) {
	f.Events += o.Events
	f.Coarse += o.Coarse
	for i := range f.Stages {
		f.Stages[i] += o.Stages[i]
	}
	for i := range f.Levels {
		f.Levels[i] += o.Levels[i]
	}
}

func (f *Facts) hasLevel(level audit.Level) bool {
	for l := level; l <= audit.LevelRequestResponse; l++ {
		if f.Levels[l] > 0 {
			return true
		}
	}
	return false
}
