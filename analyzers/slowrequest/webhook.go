package slowrequest

import (
	"bytes"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// maxHook is the highest timeoutSeconds that a webhook may have
// (admissionregistration.k8s.io/v1).
const maxHook = 30

// What a status message says when a webhook did not answer in time, or could not
// be reached. The latter three come from Go's packages context, net/http and net.
var (
	textWebhook  = []byte("failed calling webhook")
	textDeadline = []byte("context deadline exceeded")
	textClient   = []byte("Client.Timeout exceeded")
	textDial     = []byte("i/o timeout")
)

// leastHook is the lowest timeoutSeconds that a webhook may have, as a duration.
const leastHook = time.Second

// hookTimed reports whether the request took long enough for a webhook to have
// timed out. A webhook that refuses connections fails at once, and then something
// else took the time. If the annotations say how long webhooks took, that is what
// counts; else it is the time of the whole request.
func hookTimed(e *audit.Event, took time.Duration) bool {
	if len(e.Annotation(keyMutating)) > 0 || len(e.Annotation(keyValidating)) > 0 {
		took = time.Duration(max(annotated(e, keyMutating), annotated(e, keyValidating))) * time.Microsecond
	}
	return took >= leastHook-early
}

// failedFor reports whether a request failed because a webhook timed out, as its
// status message says, and yields the webhook's name.
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

// wentWithout reports whether a request went on without webhooks that failed
// (failurePolicy Ignore), as its annotations say, and yields their names.
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

// How far from a whole second a request may end if it waited for a webhook to
// time out. It may be a little early, since the stamps are not those of the
// webhook's timer, and somewhat later, since the API server has other work to do
// on the request.
const (
	early = 5 * time.Millisecond
	later = 50 * time.Millisecond
)

// wholeSecond returns d in seconds if it is a whole number of them, within early
// and later, that a webhook may have as its timeout; else 0.
func wholeSecond(d time.Duration) int {
	second := (d + early) / time.Second
	if over := d - second*time.Second; second < 1 || second > maxHook || over > later {
		return 0
	}
	return int(second)
}

// hooked reports whether a webhook may be what a request waited for: it is a
// write that was not refused (429), and if it is annotated with its latencies, a
// webhook's is among them.
func hooked(e *audit.Event) bool {
	if !e.IsWrite() || e.Code == 429 {
		return false
	}
	return len(e.Annotation(keyTotal)) == 0 ||
		len(e.Annotation(keyMutating)) > 0 || len(e.Annotation(keyValidating)) > 0
}
