package analysis

import (
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Facts are what many analyzers need to know of the whole log: built once, by
// the same law as states, and given to every Report. Analyzers ask through the
// methods; the fields are there to be saved.
//
// Facts are bounded, each part by a cap of its own (see there): together a
// megabyte as a rule, and up to some fifteen in a cluster of thousands of
// clients in which a thousand scopes are written all the time.
type Facts struct {
	Events int64                                 `json:"events"`
	Coarse int64                                 `json:"coarse"` // events with whole seconds only
	Begun  int64                                 `json:"begun"`  // those that are a ResponseStarted and have one time
	Stages [audit.StagePanic + 1]int64           `json:"stages"` // events by stage
	Levels [audit.LevelRequestResponse + 1]int64 `json:"levels"` // events by level
	Span   tally.Span                            `json:"span"`   // by stageTimestamp; once settled without strays

	HTTPLog int64    `json:"httpLog,omitempty"` // events that are requests of httplog, which stand in for others
	Own     ownFacts `json:"own"`

	Logs     map[string]*logFacts `json:"logs"` // by Event.Log: as many as the user gave
	Requests requestFacts         `json:"requests"`
	Writes   writeFacts           `json:"writes"`
	Quirks   quirkFacts           `json:"quirks"`
	Seen     seenFacts            `json:"seen"`

	shares   shares
	betweens betweens
	strays   []stray // set by Shard.Settle

	log  *logFacts // of the event before, since events of one log come together
	name string
}

// NewFacts returns the facts of an empty log.
func NewFacts() *Facts {
	return &Facts{Logs: map[string]*logFacts{}, Own: newOwnFacts(), Requests: requestFacts{Clients: newClientFacts()}, Writes: newWriteFacts()}
}

// Observe takes in an event. Of one that is not selected, only what is asked
// of the whole log counts: all but the overview and the clients.
func (f *Facts) Observe(e *audit.Event, selected bool) { f.observe(e, selected, new(row)) }

// observe takes in an event of a row.
func (f *Facts) observe(e *audit.Event, selected bool, row *row) {
	f.Events++
	f.Stages[e.Stage]++
	f.Levels[e.Level]++
	if e.Coarse {
		f.Coarse++
		if e.Stage == audit.StageResponseStarted && e.Received == 0 {
			f.Begun++
		}
	}
	if e.At == 0 {
		return // without a time it has no place in the rest
	}
	f.Span.Add(e.At)
	f.logOf(e).observe(e)
	f.Quirks.observe(e)
	f.Seen.observe(e, row)
	if e.Wrote() {
		f.Writes.observe(e, row)
	}
	if selected {
		f.Requests.observe(e, row)
	}
}

func (f *Facts) logOf(e *audit.Event) *logFacts {
	if f.log != nil && e.Log == f.name {
		return f.log
	}
	log := f.Logs[e.Log]
	if log == nil {
		log = newLogFacts()
		f.Logs[e.Log] = log
	}
	f.log, f.name = log, e.Log
	return log
}

// Merge takes in what o knows. o is not used again.
func (f *Facts) Merge(o *Facts) {
	f.Events += o.Events
	f.Coarse += o.Coarse
	f.Begun += o.Begun
	for i := range f.Stages {
		f.Stages[i] += o.Stages[i]
	}
	for i := range f.Levels {
		f.Levels[i] += o.Levels[i]
	}
	f.Span.Merge(o.Span)
	f.HTTPLog += o.HTTPLog
	f.Own.merge(&o.Own)
	for name, log := range o.Logs {
		if mine := f.Logs[name]; mine != nil {
			mine.merge(log)
		} else {
			f.Logs[name] = log
		}
	}
	f.Requests.merge(&o.Requests)
	f.Writes.merge(&o.Writes)
	f.Quirks.merge(&o.Quirks)
	f.Seen.merge(&o.Seen)
}

// LogNames returns the names of the logs, sorted.
func (f *Facts) LogNames() []string { return slices.Sorted(maps.Keys(f.Logs)) }

// LogLabels returns the labels that the carriers of a log's lines gave, sorted,
// by the log without them.
func (f *Facts) LogLabels() map[string][]string {
	names := map[string]bool{}
	for name := range f.Logs {
		names[name] = true
	}
	for name := range f.Own.Requests {
		names[name] = true
	}
	for _, lines := range f.Own.Lines {
		for _, row := range lines.Table.rows {
			names[row.value.Log] = true
		}
	}
	labels := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		for i := range len(name) {
			if name[i] == '#' { // the file's own name may have one, too
				labels[name[:i]] = append(labels[name[:i]], name[i+1:])
			}
		}
	}
	return labels
}

func (f *Facts) hasLevel(level audit.Level) bool {
	for l := level; l <= audit.LevelRequestResponse; l++ {
		if f.Levels[l] > 0 {
			return true
		}
	}
	return false
}
