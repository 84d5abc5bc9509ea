package serverlog

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// A lineKind is a kind of line that says what went wrong.
type lineKind struct {
	kind audit.Sym
	// begins is what the message begins with, in one version or another.
	// Structured messages stand without their quotes.
	begins []string
	// holds is what else the line must hold, one of these; nil for nothing.
	holds []string
	// pick takes from the rest of the message what the event is to tell. It
	// may refuse.
	pick func(r *Reader, rest []byte, e *audit.Event) bool
}

// lineKinds are the lines that are read, in all the forms they have had.
var lineKinds = []lineKind{
	{ // apimachinery pkg/util/runtime, logPanic: any panic that is recovered from
		kind: audit.LinePanic, begins: []string{"Observed a panic"}, pick: (*Reader).panicValue,
	},
	{ // apiserver pkg/server/filters, wrap.go
		kind: audit.LinePanicked, begins: []string{"apiserver panic'd"}, pick: (*Reader).whichRequest,
	},
	{ // the same, for a panic with http.ErrAbortHandler, by which the timeout filter ends an answer that had begun
		kind: audit.LineAborted, begins: []string{"Timeout or abort while handling", "timeout or abort while handling"}, pick: (*Reader).whichRequest,
	},
	{ // apiserver pkg/storage/cacher, cache_watcher.go
		kind: audit.LineForcedClose, begins: []string{"Forcing "}, holds: []string{"close due to unresponsiveness"}, pick: (*Reader).watched,
	},
	{ // client-go tools/cache, reflector.go; text to 1.31, behind the place that made the reflector
		kind: audit.LineTooOld, holds: []string{"ended with: too old resource version", "ended with: The resourceVersion for the provided watch is too old"}, pick: (*Reader).reflected,
	},
	{
		kind: audit.LineTooOld, begins: []string{"Warning: watch ended with error", "watch ended with error", "Watch closed"}, holds: tooOld, pick: (*Reader).reflected,
	},
	{ // pkg/kubelet, kubelet_node_status.go
		kind: audit.LineNodeStatus, begins: []string{"Error updating node status", "error updating node status"}, holds: noAnswer, pick: (*Reader).node,
	},
	{ // component-helpers apimachinery/lease, controller.go; pkg/kubelet/nodelease before 1.22
		kind: audit.LineNodeStatus, begins: []string{"Failed to update node lease", "failed to update node lease", "Failed to update lease", "failed to update lease"}, holds: noAnswer, pick: (*Reader).node,
	},
	{ // the same controllers, when they have tried five times
		kind: audit.LineNodeStatus, begins: []string{"Failed to ensure lease exists", "failed to ensure lease exists", "failed to ensure node lease exists"}, holds: noAnswer, pick: (*Reader).node,
	},
}

var (
	tooOld = []string{"too old resource version", "resourceVersion for the provided watch is too old"}
	// What client-go says when its own deadline passed without an answer, and
	// when its health check of HTTP/2 found the connection dead.
	noAnswer = []string{"Client.Timeout exceeded while awaiting headers", "context deadline exceeded", "http2: client connection lost"}
)

// line reads a line that says what went wrong.
func (r *Reader) line(h Header, body []byte, clock Clock, e *audit.Event) bool {
	message, rest, isStructured := structured(body)
	if !isStructured {
		message = body
	}
	for i := range lineKinds {
		k := &lineKinds[i]
		begin, ok := beginning(message, k.begins)
		if !ok || len(k.holds) > 0 && !holdsAny(body, k.holds) {
			continue
		}
		if !isStructured {
			rest = bytes.TrimPrefix(message[begin:], []byte(": "))
		}
		e.Reset()
		e.Origin, e.Reason, e.Message = audit.OriginLine, k.kind, audit.View(body)
		e.At, e.Guessed = clock.At(h)
		return k.pick(r, rest, e)
	}
	return false
}

// beginning returns the length of the text that message begins with.
func beginning(message []byte, begins []string) (n int, ok bool) {
	for _, text := range begins {
		if bytes.HasPrefix(message, []byte(text)) {
			return len(text), true
		}
	}
	return 0, len(begins) == 0
}

func holdsAny(body []byte, texts []string) bool {
	for _, text := range texts {
		if bytes.Contains(body, []byte(text)) {
			return true
		}
	}
	return false
}

// crashes begin the lines by which Go's runtime ends a process. They have no
// klog header and no time.
var crashes = [][]byte{[]byte("fatal error: "), []byte("panic: ")}

// crash reads the end of a process. Its time is the carrier's, or unknown.
func (r *Reader) crash(text []byte, clock Clock, e *audit.Event) Kind {
	for _, begin := range crashes {
		if value, ok := bytes.CutPrefix(text, begin); ok && len(value) > 0 {
			e.Reset()
			e.Origin, e.Reason, e.Message = audit.OriginLine, audit.LineCrash, audit.View(bytes.TrimSuffix(value, []byte(" [recovered]")))
			e.At = clock.Stamp
			return Line
		}
	}
	return Unknown
}
