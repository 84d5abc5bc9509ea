package hotloop

import (
	"bytes"
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
		if run := stretch(writes[:n]); n > l.turns && (l.measure == faint || run.undoes(l.follower)) {
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
	if s[0].said != 0 && s[1].said != 0 && s[0].said != s[1].said { // else there are no bodies, or it is about the metadata
		return s.repeats()
	}
	return !follower && s.prompt()
}

// prompt reports whether each of the two writers of a run answers the other soon, as a
// rule.
func (s stretch) prompt() bool {
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
	return true
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

// maxSaid is how much of a body is looked at: of a longer one nothing is known.
const maxSaid = 1 << 14

// saidBy returns a hash of what a write asks for; 0 if the event has no body, or a
// long one. Of an update, which sends all of the object, it leaves out the metadata,
// as the version, and the status unless that is what is updated. It looks at bytes:
// one client writes its bodies in one way.
func saidBy(e *audit.Event) uint64 {
	if e.Level < audit.LevelRequest {
		return 0
	}
	_, body, found := bytes.Cut(e.Raw, requestKey)
	if !found {
		return 0
	}
	body = body[:min(len(body), maxSaid)]
	hash := tally.Mix(0, 1)
	if e.Verb != audit.VerbUpdate || len(body) == 0 || body[0] != '{' {
		end := valueEnd(body)
		if end <= 0 {
			return 0
		}
		return tally.Mix(hash, tally.HashBytes(body[:end]))
	}
	for at := 1; ; {
		at += blank(body[at:])
		if at < len(body) && body[at] == '}' {
			return hash
		}
		name := at
		length := valueEnd(body[at:])
		if length <= 0 {
			return 0
		}
		at += length
		key := body[name:at]
		at += blank(body[at:])
		length = valueEnd(body[at:])
		if length <= 0 {
			return 0
		}
		value := body[at : at+length]
		at += length
		if string(key) != `"metadata"` && (string(key) != `"status"` || e.Subresource == subStatus) {
			hash = tally.Mix(tally.Mix(hash, tally.HashBytes(key)), tally.HashBytes(value))
		}
	}
}

var (
	requestKey = []byte(`"requestObject":`)
	subStatus  = audit.Intern("status")
)

// blank returns how many bytes stand before a name or a value.
func blank(text []byte) (n int) {
	for n < len(text) && (text[n] == ' ' || text[n] == ',' || text[n] == ':') {
		n++
	}
	return n
}

// valueEnd returns the length of the JSON value that a text begins with, -1 if it
// ends before that.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// stringEnd returns where the string ends that begins at a quote, -1 if it does not.
func stringEnd(text []byte, begin int) int {
	for i := begin + 1; ; i++ {
		next := bytes.IndexByte(text[i:], '"')
		if next < 0 {
			return -1
		}
		i += next
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
