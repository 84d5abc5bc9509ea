package slowrequest

import (
	"bytes"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// maxHook is how many seconds a webhook may be given at most (admission/v1).
const maxHook = 30

// What a message says when a webhook was not heard of in time, or could not be
// reached: Go's context and net packages.
var (
	textWebhook  = []byte("failed calling webhook")
	textDeadline = []byte("context deadline exceeded")
	textClient   = []byte("Client.Timeout exceeded")
	textDial     = []byte("i/o timeout")
)

// leastHook is the least time that a webhook may be given (admission/v1).
const leastHook = time.Second

// hookTimed reports whether a webhook's timeout may have ended its part of a
// request. A webhook that can't be reached is done without at once, and what the
// request took is then something else's. Where the API server says what the time
// went for, and nothing of webhooks, that is not known.
func hookTimed(e *audit.Event, took time.Duration) bool {
	if len(e.Annotation(keyMutating)) > 0 || len(e.Annotation(keyValidating)) > 0 {
		took = time.Duration(max(annotated(e, keyMutating), annotated(e, keyValidating))) * time.Microsecond
	}
	return took >= leastHook-early
}

// failedFor reports whether a request failed for a webhook's timeout, as its
// message says, and yields the webhook's name.
func failedFor(e *audit.Event, yield func(string)) bool {
	if !bytes.Contains(e.Message, textWebhook) {
		return false
	}
	for _, text := range [][]byte{textDeadline, textClient, textDial} {
		if bytes.Contains(e.Message, text) {
			yield(quoted(e.Message))
			return true
		}
	}
	return false
}

// wentWithout reports whether a request went on without webhooks that failed, as
// its annotations say, and yields their names.
func wentWithout(e *audit.Event, yield func(string)) (open bool) {
	for i := range e.Annotations {
		if strings.HasPrefix(e.Annotations[i].Key.String(), "failed-open.") {
			yield(analysis.NameOf(e.Annotations[i].Value))
			open = true
		}
	}
	return open
}

// quoted returns the name in `failed calling webhook "NAME"`.
func quoted(message []byte) string {
	_, rest, _ := bytes.Cut(message, textWebhook)
	rest = bytes.TrimLeft(rest, ", ")
	if rest, ok := bytes.CutPrefix(rest, []byte(`"`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return string(name)
		}
	}
	return "unknown"
}

// How far from a whole second a request may end whose webhook timed out: what
// else the API server does takes some milliseconds, and the timer of the
// webhook starts a little earlier than the last stamp.
const (
	early = 5 * time.Millisecond
	later = 50 * time.Millisecond
)

// wholeSecond returns the whole second that d is, if it is one that a webhook
// may be given; else 0.
func wholeSecond(d time.Duration) int {
	second := (d + early) / time.Second
	if over := d - second*time.Second; second < 1 || second > maxHook || over > later {
		return 0
	}
	return int(second)
}

// hooked reports whether a webhook may be what a request waited for: it is a
// write, and where the API server says what the time went for, it says so.
func hooked(e *audit.Event) bool {
	if !e.IsWrite() {
		return false
	}
	return len(e.Annotation(keyTotal)) == 0 ||
		len(e.Annotation(keyMutating)) > 0 || len(e.Annotation(keyValidating)) > 0
}
