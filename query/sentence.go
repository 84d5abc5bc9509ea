package query

import (
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// Sentence describes the event in words: who did what to which object, and with
// what result. It contains text from the log that is not cleaned yet.
func (r *Record) Sentence() string {
	object := r.Object()
	if rv := r.From(); rv != "" {
		object += " from version " + rv
	}
	return r.SentenceOf(r.Client(), object)
}

// SentenceOf is like Sentence, with the given words for client and object. It
// is for a line that stands for several events, of which r is one.
func (r *Record) SentenceOf(client, object string) string {
	text := client + " " + r.did() + " " + object
	switch {
	case r.Stage == audit.StagePanic.String():
		text += ": panic"
	case r.Code != 0:
		text += ": " + strconv.Itoa(r.Code)
	}
	if r.Reason != "" && r.Code >= 400 {
		text += " " + r.Reason
	}
	if took, ok := r.Took(); ok && took >= time.Second {
		text += " after " + Short(took)
	}
	return text
}

// From returns the resourceVersion that a watch starts from, or "".
func (r *Record) From() string {
	if r.Verb != "watch" {
		return ""
	}
	for pair := range strings.SplitSeq(r.Ask, "&") {
		if rv, ok := strings.CutPrefix(pair, "resourceVersion="); ok {
			return rv
		}
	}
	return ""
}

// Short writes a duration with two or three digits, as "1.2ms" or "2.35s", and
// from a minute on in whole seconds, as "2m3s".
func Short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// Longest returns the longer of two latencies in seconds; nil is no latency.
func Longest(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// AtMost says how long the longest of several repeats took, as ", 2.5s at
// most", to follow their number. It is empty below a second, as in Sentence.
func AtMost(longest *float64) string {
	if longest == nil || *longest < 1 {
		return ""
	}
	return ", " + Short(time.Duration(*longest*float64(time.Second))) + " at most"
}

// session reports whether the request opened a session: in a pod, or by another
// upgraded connection, such as a WebSocket through a proxy.
func (r *Record) session() bool {
	const switchingProtocols = 101
	return r.Subresource == "exec" || r.Subresource == "attach" || r.Subresource == "portforward" || r.Code == switchingProtocols
}

// did returns what was done, in the past tense.
func (r *Record) did() string {
	if r.Code >= 400 {
		return "tried to " + r.Verb
	}
	switch {
	case r.Stage == audit.StageRequestReceived.String():
		return "asked to " + r.Verb
	case r.Stage == audit.StageResponseStarted.String() && !r.session():
		return "began to " + r.Verb
	case r.Subresource == "eviction":
		return "evicted"
	case r.Subresource == "scale" && (r.Verb == "update" || r.Verb == "patch"):
		return "scaled (" + r.Verb + ")" // a patch sends what is new, an update what the client had read
	case r.Subresource == "binding":
		return "bound"
	case r.session() && r.Stage == audit.StageResponseStarted.String():
		return "opened a session (" + r.Verb + ") in"
	case r.session(): // the verb tells how: a WebSocket begins with a get, SPDY mostly with a create
		return "ended a session (" + r.Verb + ") in"
	}
	if word, ok := pastTense[r.Verb]; ok {
		return word
	}
	return r.Verb
}

var pastTense = map[string]string{
	"delete": "deleted", "deletecollection": "deleted a collection of", "create": "created", "update": "updated",
	"patch": "patched", "get": "read", "list": "listed", "watch": "watched",
}
