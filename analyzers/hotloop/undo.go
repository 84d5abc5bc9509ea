package hotloop

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	// rest is the longest pause between two writes that undo each other: controllers
	// look at all their objects anew every ten minutes or sooner.
	rest = 10 * time.Minute
	// answer is how soon one writes who answers what the other wrote, or who looks
	// often.
	answer = time.Minute
)

// undoing looks for two clients that write one part of the object in turns, at a
// pace of their own, one time after the other: nobody else writes the object
// meanwhile, and each write changes it, as its versions tell. That one undoes what
// the other wrote shows in bodies, if each sends the same each time and the object
// is not as it was left; where there are none, both answer promptly. writes are
// all of the object.
func (l limits) undoing(writes []item) (stretches []stretch) {
	writes = slices.DeleteFunc(slices.Clone(writes), func(i item) bool { return i.Code() >= 300 })
	for len(writes) > 0 {
		n := 1
		for n < len(writes) && inRow(writes[:n+1]) {
			writes[n].turn = true
			n++
		}
		if run := stretch(writes[:n]); n > l.turns && (l.faint || run.undoes(l.follower)) {
			stretches = append(stretches, run)
		}
		if n > 1 && n < len(writes) {
			n-- // the last may be the first of the next
			writes[n].turn = false
		}
		writes = writes[n:]
	}
	return stretches
}

// inRow reports whether the last of a run's writes belongs to it.
func inRow(run []item) bool {
	n := len(run) - 1
	last, before := &run[n], &run[n-1]
	return last.version > before.version && before.version != 0 &&
		last.writer() != before.writer() && (n < 2 || last.writer() == run[n-2].writer()) &&
		last.Subresource() == before.Subresource() && last.Began().Sub(before.Began()) <= rest
}

// undoes reports whether the two writers of a run undo each other's work. What
// follows pods is written by its controller when somebody has changed it.
func (s stretch) undoes(follower bool) bool {
	if s[0].said != 0 && s[1].said != 0 { // else there are no bodies
		return s[0].said != s[1].said && s.repeats()
	}
	var pauses [2][]time.Duration
	for n := 1; n < len(s); n++ {
		pauses[n%2] = append(pauses[n%2], s[n].Began().Sub(s[n-1].Began()))
	}
	for _, p := range pauses {
		slices.Sort(p)
		if p[len(p)/2] > answer {
			return false
		}
	}
	return !follower
}

// repeats reports whether each of the two sends the same each time.
func (s stretch) repeats() bool {
	for n := 2; n < len(s); n++ {
		if s[n].said != s[n-2].said {
			return false
		}
	}
	return true
}

// saidBy returns a hash of what a write asks for, but for what changes with each
// write or belongs to another part of the object; 0 if the event has no body.
func saidBy(e *audit.Event) uint64 {
	if e.Level < audit.LevelRequest {
		return 0
	}
	var event struct {
		RequestObject json.RawMessage `json:"requestObject"`
	}
	if json.Unmarshal(e.Raw, &event) != nil || len(event.RequestObject) == 0 {
		return 0
	}
	var body, metadata map[string]json.RawMessage
	if json.Unmarshal(event.RequestObject, &body) != nil { // a JSON patch is a list
		return compacted(tally.Mix(0, 1), event.RequestObject)
	}
	if json.Unmarshal(body["metadata"], &metadata) == nil {
		for _, key := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
			if value := metadata[key]; value != nil {
				body["metadata."+key] = value
			}
		}
	}
	delete(body, "metadata")
	if e.Subresource != subStatus {
		delete(body, "status")
	}
	hash := tally.Mix(0, 1)
	for _, key := range slices.Sorted(maps.Keys(body)) {
		hash = compacted(tally.Mix(hash, tally.Hash(key)), body[key])
	}
	return hash
}

var subStatus = audit.Intern("status")

// compacted goes on with a hash over JSON, without its blanks.
func compacted(hash uint64, value json.RawMessage) uint64 {
	var text bytes.Buffer
	if json.Compact(&text, value) != nil {
		return hash
	}
	return tally.Mix(hash, tally.HashBytes(text.Bytes()))
}
