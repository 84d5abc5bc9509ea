package analysis

import (
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Facts hold what several analyzers need to know about the whole log. They are collected
// once, obey the law of states, and are passed to every Report. Analyzers use the methods;
// fields are exported only to be saved.
//
// Each part of the facts has a bound of its own. Together they usually take a megabyte,
// and up to thirty in a cluster with thousands of clients in which thousands of scopes are
// written all the time.
type Facts struct {
	Events  int64                                 `json:"events"`
	Coarse  int64                                 `json:"coarse"`  // events with times of whole seconds, or with one time only
	Begun   int64                                 `json:"begun"`   // those of Coarse that are a ResponseStarted with one time
	Lasting int64                                 `json:"lasting"` // those of Coarse that were written in a later second than their request was received
	Stages  [audit.StagePanic + 1]int64           `json:"stages"`  // events by stage
	Levels  [audit.LevelRequestResponse + 1]int64 `json:"levels"`  // events by level
	Span    tally.Span                            `json:"span"`    // of Event.At; after Shard.Settle without strays

	HTTPLog int64    `json:"httpLog,omitempty"` // those of Events that are requests of httplog
	Own     ownFacts `json:"own"`

	Logs     map[string]*logFacts `json:"logs"` // by Event.Log
	Requests requestFacts         `json:"requests"`
	Writes   writeFacts           `json:"writes"`
	Quirks   quirkFacts           `json:"quirks"`
	Seen     seenFacts            `json:"seen"`

	shares   memo[tally.Interval, *Share]
	betweens memo[string, tally.Interval]   // by log; see between
	holes    memo[string, []tally.Interval] // by log
	clock    memo[string, clocks]           // by nothing
	strays   []stray                        // set by Shard.Settle

	log  *logFacts // of the event before: events of one log come together
	name string    // of log
}

// NewFacts returns the facts of an empty log.
func NewFacts() *Facts {
	return &Facts{Logs: map[string]*logFacts{}, Own: newOwnFacts(), Requests: requestFacts{Clients: newClientFacts()}, Writes: newWriteFacts()}
}

// Observe takes in an event. An event that is not selected counts for everything except
// the overview and the clients.
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
		if e.Received != 0 && e.At > e.Received {
			f.Lasting++
		}
	}
	if e.At == 0 {
		return // all the rest is about when
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

// Merge takes in what o has seen. o is not used again.
func (f *Facts) Merge(o *Facts) {
	f.Events += o.Events
	f.Coarse += o.Coarse
	f.Begun += o.Begun
	f.Lasting += o.Lasting
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

// settle drops what is beyond a limit, and counts what was put off while reading. Nothing
// that is asked after it, until more is observed, changes the facts, so that analyzers may
// ask side by side, and no answer depends on what was asked before.
func (f *Facts) settle() {
	for _, log := range f.Logs {
		log.Cover.Settle()
	}
	f.Requests.Clients.Table.shrink()
	f.Requests.Clients.shrink()
	f.Writes.Resources.shrink()
	f.Writes.Scopes.shrink()
	f.Own.Ends.shrink()
	for _, lines := range f.Own.Lines {
		lines.Table.shrink()
	}
}

// LogNames returns the names of the logs, sorted.
func (f *Facts) LogNames() []string { return slices.Sorted(maps.Keys(f.Logs)) }

// LogLabels returns, by log, the labels that the formats around its lines gave them, such
// as a container's or a host's name, sorted.
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

// hasLevel reports whether there is an event at this level or above.
func (f *Facts) hasLevel(level audit.Level) bool {
	for l := level; l <= audit.LevelRequestResponse; l++ {
		if f.Levels[l] > 0 {
			return true
		}
	}
	return false
}
