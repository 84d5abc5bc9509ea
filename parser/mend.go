package parser

import "github.com/kaudit/kaudit/audit"

// mend takes an event that its carrier has cut off as far as it can be read:
// what the API server writes before the bodies tells nearly all. Of the times,
// which stand behind them, the carrier's is left. Such an event counts as one
// whose bodies the API server has cut.
//
// It does so only where the carrier is known to cut, and has a time: a line
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

// headKeys are the keys that a head has.
type headKeys []string

func (h headKeys) holds(keys ...string) bool {
	n := 0
	for _, key := range keys {
		for _, have := range h {
			if have == key {
				n++
				break
			}
		}
	}
	return n == len(keys)
}

// headOf returns the keys of the members of an object that are whole, and
// where the last of them ends.
func headOf(b []byte) (keys headKeys, end int) {
	for key, at := range membersOf(b, 0) {
		keys, end = append(keys, string(key)), at.end
	}
	return keys, end
}

// undate takes from an event what its carrier did not keep: there is one time
// only, so no latency.
func undate(e *audit.Event) { e.Received, e.Coarse = 0, true }
