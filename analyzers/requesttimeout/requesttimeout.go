// Package requesttimeout finds requests that ran into the API server's request
// timeout, that were worked on for longer than their client waited, or that
// never ended, and clients that gave up.
//
// There is one state: it pairs the beginnings and ends of all requests, and
// holds the slow and failed ones by client and resource, since what the timeout
// is can only be told from all of them.
package requesttimeout

import (
	"bytes"
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optTimeout  = "timeout"
	optAlike    = "alike"
	optSpread   = "spread"
	optRequests = "requests"
	optWindow   = "window"
	optPatience = "patience"
	optGaveUp   = "gave-up"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "request-timeout",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optTimeout, Default: time.Minute, NotZero: true, Doc: "The API server's --request-timeout if the log does not show it: its default."},
			{Name: optAlike, Default: 3, Unit: "requests", Doc: "The fewest requests that timed out after the same time and so show the timeout: two may be chance."},
			{Name: optSpread, Default: 0.02, Unit: "of the time", Doc: "How far these times may differ: the handler answers some milliseconds after the timeout."},
			{Name: optRequests, Default: 3, Unit: "requests", Doc: "The fewest requests that are a warning: one or two happen when a server starts or moves."},
			{Name: optWindow, Default: 5 * time.Minute, NotZero: true, Doc: "Timeouts of other clients within this time count, too: if storage is away, requests of every client time out, a few each."},
			{Name: optPatience, Default: 2.0, NotZero: true, Unit: "timeouts", Doc: "A request never ended if the log goes on for this many timeouts after it was received."},
			{Name: optGaveUp, Default: 3, Unit: "requests", Doc: "The fewest requests that the client itself gave up on to report: people press Ctrl-C."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, SubSecond: true, Parts: []analysis.Part{
			analysis.NeverEnded,
			{Sees: analysis.Reads, Unseen: "reads that time out leave no trace"},
		}},
		Wants:   []audit.Class{audit.ClassShort | audit.ClassDated | (audit.Class401 | audit.ClassStageless).Not()},
		RowKeys: []audit.Class{0}, // there is one state
		Keys:    keys,
		New:     func() analysis.State { return newState() },
		Group:   group,
	}
}

// slow is from when on a request may have outlived a timeout: nobody sets one
// of less than a second.
const slow = time.Second

// keys takes all requests that the API server sets a time limit for. One without
// a verb was refused before anybody knew what it was.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Code == 401 || e.Verb == (audit.Sym{}) || e.Received == 0 || e.Stage == audit.StageUnknown || e.LongRunning() {
		return keys
	}
	return append(keys, analysis.Key{})
}

// A class is what a completed request tells of timeouts.
type class int

const (
	fine     class = iota
	timedOut       // the API server's time was up
	etcdOut        // etcd's time was up
	ownOut         // the time was up that the client had asked for
	gaveUp         // the client went away
	unread         // refused: what the client asked for as its time is none
	lasted         // slow, and otherwise ended well or badly
)

// The texts are of apiserver pkg/endpoints/handlers/rest.go and
// pkg/storage/errors.go, of etcd server/etcdserver/errors, and of Go's context.
var (
	textDeadline = []byte("context deadline exceeded")
	textCanceled = []byte("context canceled")
	textEarly    = []byte("Connection closed early")
	textEtcd     = []byte("etcdserver: request timed out")
	textTooLarge = []byte("Too large resource version")
	textWebhook  = []byte("failed calling webhook")
	textConvert  = []byte("conversion webhook for ") // apiextensions-apiserver pkg/apiserver/conversion
	textDEK      = []byte("crypt DEK, error: ")      // of a KMS plugin: pkg/storage/value/encrypt/envelope
	textParam    = []byte("timeout=")
)

// classOf returns the class of a request by its answer. What failed for a limit of its
// own, such as a webhook's, is fine here: other analyzers tell of it.
func classOf(e *audit.Event) class {
	if e.Stage == audit.StageResponseStarted && e.Code == 400 && len(e.Param("timeout")) > 0 {
		return unread // apiserver pkg/endpoints/filters/request_deadline.go
	}
	took, ok := e.Latency()
	if !ok || e.Stage != audit.StageResponseComplete || e.Code == 101 {
		return fine // a connection that was handed over lives as long as it likes
	}
	if e.Code < 500 && !bytes.Equal(e.Message, textEarly) {
		return lasting(took)
	}
	switch {
	case bytes.Contains(e.Message, textCanceled), bytes.Equal(e.Message, textEarly):
		return gaveUp
	case bytes.HasPrefix(e.Message, textEtcd):
		return etcdOut
	case bytes.Contains(e.Message, textTooLarge), bytes.Contains(e.Message, textWebhook),
		bytes.Contains(e.Message, textConvert), bytes.Contains(e.Message, textDEK):
		return fine // limits of their own
	case e.Code == 504, bytes.Contains(e.Message, textDeadline):
		if bytes.Contains(e.URI, textParam) && len(e.Param("timeout")) > 0 {
			return ownOut
		}
		return timedOut
	}
	return lasting(took)
}

func lasting(took time.Duration) class {
	if took >= slow {
		return lasted
	}
	return fine
}
