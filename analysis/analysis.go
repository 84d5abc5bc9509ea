// Package analysis is the contract between those who ask questions of an audit
// log and those who read it: an [Analyzer] is a question, a [State] what it
// knows of one key, a [Shard] all states of a run, and a [Finding] the answer
// with its proof.
//
// A log is a bag of events. Whatever order they are read in, by however many
// workers, the findings are the same; analysistest proves it of every
// analyzer. The flow:
//
//	batches of events -> Feed (one a worker) -> Shard, which workers share -> Findings
//
// What many ask of every event (stage, verb, kind of answer, long-running, took
// effect) is found out once and stands in one word, [audit.Class]. An analyzer
// says in Wants, as patterns of that word, which events it is called for. Most
// keys are made of who asks for what: verb, client, group, resource,
// subresource. A [Feed] looks such a row up once an event and finds there the
// states of all analyzers that say in RowKeys that their keys depend on nothing
// else, and the client's facts. Tables hash a key by the addresses of its
// interned names, not their texts; names of objects are not interned, since a
// log has too many different ones.
//
// Merging is for what is apart for other reasons than workers: requests of
// httplog, which go by log to a shard of their own until [Shard.Settle] knows
// whether they stand in, saved states, and the tests of the law.
package analysis

import (
	"github.com/kaudit/kaudit/audit"
)

// An Analyzer is one question asked of an audit log. Analyzers are values of
// data, made by a package's New, and hold no state.
type Analyzer struct {
	Name string // kebab-case and stable: users put it in flags and scripts
	Doc  string // doc.md; its first line is "# name: the summary"

	// Options are thresholds. They are read in Report and Group only, never
	// in Observe, so that a saved state can be reported with others.
	Options []Option

	// Needs is what the log must hold for the analyzer to see anything.
	Needs Needs

	// Wants are patterns of the events that Keys is called for: those that
	// fit any of them (see audit.Class). None means all events. Most events
	// then cost most analyzers nothing.
	Wants []audit.Class

	// Keys appends the keys of the states that e belongs to: none, for many
	// of the events that fit Wants. It must be cheap and must not allocate.
	// Key.Name may be a part of e (see Key).
	Keys func(e *audit.Event, keys []Key) []Key

	// RowKeys are patterns of the events whose keys depend on nothing but
	// their row: verb, client, and the object's group, resource and
	// subresource (not on namespace, name, code or message). What Keys gave
	// for one of them is remembered for the others of its row. It must be no
	// more than one key.
	RowKeys []audit.Class

	// New returns an empty state.
	New func() State

	// Group, if set, joins this analyzer's findings that share a cause. It is
	// pure, and is called once with all of them in canonical order.
	Group func(*Pass, []Finding) []Finding
}

// Needs says at which level and in which stages a log must record requests.
// An analyzer whose needs a log can't meet is blind there, and the report says
// so.
type Needs struct {
	Level  audit.Level
	Stages []audit.Stage // all of these
	Told   bool          // ends of sessions that httplog tells of will do for ResponseComplete
	Fine   bool          // stamps finer than a second: latencies
	Paired bool          // for Fine, the beginnings of what is long-running will do, in events with one time each
	User   bool          // who made each request, which lines of httplog don't tell
	Names  bool          // of what is created, which the legacy format doesn't tell
	Sees   Traffic       // requests that a policy may leave out
	Parts  []Part        // what it sees a part of its troubles by
}

// A Part is what an analyzer sees a part of its troubles by: in a log without
// any of the stages, or without the requests, it is blind in part.
type Part struct {
	Stages []audit.Stage
	Sees   Traffic
	Unseen string // then, as the end of a sentence
}

// Never is the part of analyzers that tell of what never ended. It is known by a
// line from before an end.
var Never = Part{
	Stages: []audit.Stage{audit.StageRequestReceived, audit.StageResponseStarted},
	Unseen: "what never ended leaves no trace",
}

// Heard is the part of analyzers for which [Needs].Told will do.
var Heard = Part{
	Stages: []audit.Stage{audit.StageResponseComplete},
	Unseen: "only those sessions are known to have ended of which the API server's own log tells",
}

// A State is what an analyzer knows of one key. It obeys one law: let a log be
// split in any way, its events be observed in any order by any number of
// states, and those states be merged in any order: the findings are the same.
// So a State counts, collects and compares, bounded, and never asks what came
// before; what depends on time it works out in Report, from times that it kept.
//
// A State is a pointer to a struct of exported fields, plain values or
// tallies: encoding/json must write and read it whole. It holds strings and
// source names, never Syms or Views.
type State interface {
	// Observe takes in an event with the state's key. The event is valid
	// during the call only.
	Observe(*audit.Event)
	// Merge takes in what another state of the same analyzer and key knows.
	// The argument is not used again and may be taken apart.
	Merge(State)
	// Report calls Pass.Report for what the state has found. It does not
	// change the state.
	Report(*Pass)
}

// A Narrower is a State that makes do with less room where a log has many
// keys. Narrow(share) asks it to keep no more than the share-th part of what it
// keeps at most: a power of two. It is called again when the share grows, after
// a merge too, and must leave what would be there had it been called first.
type Narrower interface {
	Narrow(share int)
}

// A Closer is a State that keeps track of requests that have not ended. Close
// is called instead of Observe for an event that --since, --until or --where left
// out: it may end what another event began, or have begun what is lost without an
// end, and counts for nothing else.
type Closer interface {
	Close(*audit.Event)
}
