package slowrequest

import (
	"bytes"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// maxHook is how many seconds a webhook may be given at most (admission/v1).
const maxHook = 30

var (
	textWebhook  = []byte("failed calling webhook")
	textDeadline = []byte("context deadline exceeded")
)

// hookOf returns the webhook whose timeout ended its part of a request, as the
// API server names it: in the message of a request that failed for it, or in
// the annotation of one that went on without it.
func hookOf(e *audit.Event) (name string, failedOpen bool) {
	if bytes.Contains(e.Message, textWebhook) && bytes.Contains(e.Message, textDeadline) {
		return quoted(e.Message), false
	}
	for i := range e.Annotations {
		if strings.HasPrefix(e.Annotations[i].Key.String(), "failed-open.") {
			return e.Annotations[i].Value.String(), true
		}
	}
	return "", false
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
