package parser

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// mend makes an event of one that its carrier has cut off. What the API server
// writes before the bodies tells nearly all; the times, which stand behind them,
// are lost, so the event gets the carrier's. It is marked as truncated, as the API
// server marks events whose bodies it has cut.
//
// It does so only if the carrier is known to cut texts, and gives a time. A line
// that merely ends early was torn.
func (d *Decoder) mend(t *text) bool {
	at := t.time()
	if !t.cut || at == 0 || t.depth >= maxCarriers {
		return false
	}
	seen, end := headOf(t.data)
	if !seen.holds("auditID", "stage", "verb") {
		return false
	}
	stamp := at.String()
	from := len(d.arena)
	d.arena = append(d.arena, t.data[:end]...)
	for _, key := range []string{"requestReceivedTimestamp", "stageTimestamp"} {
		if !seen.holds(key) {
			d.arena = append(d.arena, `,"`+key+`":"`+stamp+`"`...)
		}
	}
	if !seen.holds("annotations") {
		d.arena = append(d.arena, `,"annotations":{"audit.k8s.io/truncated":"true"}`...)
	}
	d.arena = append(d.arena, '}')
	in := t.holding(d.arena[from:len(d.arena):len(d.arena)], 0)
	in.cut = false
	in.oneTime = t.oneTime || !seen.holds("stageTimestamp")
	d.hold(in)
	return true
}

// headKeys are the keys in the whole part of an event that was cut off.
type headKeys []string

// holds reports whether all of keys are there.
func (h headKeys) holds(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(h, key) })
}

// headOf returns the keys of the members of an object that are whole, and
// where the last of them ends.
func headOf(b []byte) (keys headKeys, end int) {
	for key, at := range membersOf(b, 0) {
		keys, end = append(keys, string(key)), at.end
	}
	return keys, end
}

// undate marks an event as one of which its carrier kept one time only: it has no
// latency.
func undate(e *audit.Event) { e.Received, e.Coarse = 0, true }
