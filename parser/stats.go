package parser

import "github.com/kaudit/kaudit/audit"

// A Kind says why a record was refused.
type Kind uint8

// The kinds of refusal.
const (
	Malformed Kind = iota // it names an audit event, but can't be read
	Truncated             // it ends inside a JSON object
	Foreign               // it is something else
	Oversize              // it is longer than MaxLine
	OwnLog                // it is a line of an API server's or kubelet's own log (klog) without use for any analyzer
	kinds
)

// String returns the kind as the report names it.
func (k Kind) String() string {
	return [kinds]string{"malformed", "truncated", "foreign", "oversize", "klog"}[k]
}

// Kinds lists the kinds of refusal in the order in which they are shown.
func Kinds() []Kind { return []Kind{Malformed, Truncated, Foreign, Oversize, OwnLog} }

// Skipped counts refused records by kind.
type Skipped [kinds]int64

// A Refused is the position of a record that was refused.
type Refused struct {
	Kind   Kind
	Offset int64  // in the part's unpacked bytes
	Line   int    // in the part, from 0 as in an Event
	Why    string // for people to read
}

// maxRefused is how many positions of each kind a chunk keeps: the first ones.
const maxRefused = 3

// ChunkStats is what a chunk holds.
type ChunkStats struct {
	Lines, Events, Bytes int64
	Nuls                 int64 // NUL bytes around records: see blanks

	Requests, OwnLines int64 // of an API server's or kubelet's own log; see Decoder.OwnLog

	Skipped Skipped
	Refused []Refused // the first few of each kind; valid until the next Reset

	First, Last     audit.Time // the earliest and the latest stageTimestamp
	FirstAt, LastAt audit.Time // of the first and the last event
	OutOfOrder      int64      // events earlier than the one before them in the chunk

	Shapes Shapes // the carriers of the events
	Looks  Shapes // the carriers of refused records, and what these look like
}

func kindOf(v verdict) Kind {
	switch v {
	case truncated:
		return Truncated
	case foreign:
		return Foreign
	case ownLine:
		return OwnLog
	}
	return Malformed
}
