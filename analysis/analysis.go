// Package analysis is the contract between analyzers and the engine that runs them. An
// [Analyzer] is a question asked of an audit log, a [State] holds what it has seen for one
// key, such as one client, a [Shard] holds all states of a run, and a [Finding] is an
// answer with its proof. This is how they are used:
//
//	shard := analysis.NewShard(analyzers)
//	shard.Observe(event, true) // for every event; with several workers: Shard.NewFeed
//	shard.Settle()
//	findings := shard.Findings(settings)
//
// A log is a bag of events: in whatever order they are read, and by however many workers,
// the findings are the same. Package analysistest checks this for every analyzer.
//
// Every event is looked at by all analyzers, so what they share is worked out once:
//
//   - What many ask (stage, verb, kind of answer, long-running, took effect) stands in
//     one word, [audit.Class]. [Analyzer].Wants says, as patterns of that word, which
//     events an analyzer is called for.
//   - Most keys depend on nothing but who asks for what: verb, client, group, resource,
//     subresource. That is an event's row. A [Feed] looks the row up once and finds
//     there the states of all analyzers whose RowKeys say so, and the client's facts.
//   - Tables hash a key by the addresses of its interned names, not by their texts. Names
//     of objects are not interned, since a log has too many of them.
//
// Workers share one shard. Shards are merged only where states are apart for other
// reasons: requests of httplog, which have shards of their own until [Shard.Settle]
// knows whether they count, saved states, and tests of the law.
package analysis

import (
	"github.com/kaudit/kaudit/audit"
)

// An Analyzer is one question asked of an audit log. It is data and functions, made by
// its package's New, and holds no state.
type Analyzer struct {
	Name string // kebab-case and stable: users put it in flags and scripts
	Doc  string // doc.md; its first line is "# name: the summary"

	// Options are thresholds. They are read in Report and Group only, never in
	// Observe, so that a saved state can be reported with other thresholds.
	Options []Option

	// Needs is what the log must hold for the analyzer to see anything.
	Needs Needs

	// Wants are patterns of events (see audit.Class). Keys is called for events that
	// fit one of them, or for all events if there are none. With Wants, most events
	// cost most analyzers nothing.
	Wants []audit.Class

	// Keys appends the keys of the states that e belongs to: none, for many
	// of the events that fit Wants. It must be cheap and must not allocate.
	// Key.Name may be a part of e (see Key).
	Keys func(e *audit.Event, keys []Key) []Key

	// RowKeys are patterns of events whose keys depend on nothing but their row: verb,
	// client, and the object's group, resource and subresource (not on namespace,
	// name, code or message). Keys is called once for each row, and must give no more
	// than one key.
	RowKeys []audit.Class

	// New returns an empty state.
	New func() State

	// Group, if set, joins those of this analyzer's findings that share a cause. It is
	// called once, with all of them in canonical order, and has no side effects.
	Group func(*Pass, []Finding) []Finding
}

// Needs is what a log must hold for an analyzer to find anything. In a log without it, the
// analyzer is blind: it reports nothing, and the report says why.
type Needs struct {
	Level  audit.Level   // events at this level or above
	Stages []audit.Stage // events of each of these stages

	// HTTPLogEnds says that httplog lines with the ends of sessions will do in place
	// of StageResponseComplete.
	HTTPLogEnds bool

	// SubSecond asks for two timestamps in each event, both finer than a second: the
	// analyzer measures latencies. OrBeginnings says that events with one timestamp
	// will do if those of long-running requests include ResponseStarted.
	SubSecond    bool
	OrBeginnings bool

	// Seconds asks for two timestamps in each event, for which whole seconds will do: the
	// analyzer measures latencies of minutes.
	Seconds bool

	User  bool    // who made each request, which httplog does not tell
	Names bool    // the names of created objects, which the legacy format does not tell
	Sees  Traffic // requests that an audit policy may leave out

	Parts []Part // what it needs for a part of what it finds
}

// A Part is what an analyzer needs for a part of its findings: at least one of the stages,
// and the requests. In a log without it, the analyzer is blind in part.
type Part struct {
	Stages []audit.Stage
	Sees   Traffic
	Unseen string // what is not found then: the end of a sentence
}

// NeverEnded is the Part of analyzers that find requests which never ended: an event from
// before the end.
var NeverEnded = Part{
	Stages: []audit.Stage{audit.StageRequestReceived, audit.StageResponseStarted},
	Unseen: "what never ended leaves no trace",
}

// SessionEnds is the Part of analyzers with [Needs].HTTPLogEnds, which without it do not
// know all ends.
var SessionEnds = Part{
	Stages: []audit.Stage{audit.StageResponseComplete},
	Unseen: "of sessions only those ends are known that the API server's own log has",
}

// A State is what an analyzer has seen for one key. It obeys one law: however a log is
// split, in whatever order its events are observed, by however many states, and in
// whatever order these are merged, the findings are the same. So a State counts,
// collects and compares, in bounded room, and Observe never asks what came before. What
// depends on the order of events is worked out in Report, from times that were kept.
//
// A State is a pointer to a struct whose fields are exported, and plain values or
// tallies: encoding/json must write and read it completely. It holds strings and names
// of sources, never Syms or Views.
type State interface {
	// Observe takes in an event with the state's key. The event is valid
	// during the call only.
	Observe(*audit.Event)
	// Merge takes in another state of the same analyzer and key. The argument is not
	// used again, so Merge may take it apart.
	Merge(State)
	// Report calls Pass.Report for what the state has found. It does not
	// change the state.
	Report(*Pass)
}

// A Narrower is a State that can make do with less memory if a log has many keys.
type Narrower interface {
	// Narrow limits the state to 1/share of its usual size. The share is a power of
	// two. Narrow is called again when the share grows, and after a merge. The state
	// must end up the same as if Narrow had been called before the first event.
	Narrow(share int)
}

// A Closer is a State that keeps track of requests that have not ended.
type Closer interface {
	// Close is called instead of Observe for an event that --since, --until or --where
	// left out. The event may be the end of a request that was observed, or the
	// beginning of one whose end was; it must count for nothing else.
	Close(*audit.Event)
}
