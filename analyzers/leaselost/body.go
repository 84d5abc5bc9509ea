package leaselost

import (
	"bytes"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A said is what the body of a write says of the lease.
type said struct {
	seconds  int64      // how long it lasts; 0 if it does not say
	released bool       // nobody holds it: its holder gave it up
	holder   audit.View // who holds it, without what its process adds; a part of the event
}

// read reads what a write says. The event is searched, not decoded: renewals come
// every two seconds for each lease. What a lock in another object says is text in
// an annotation of it, so its quotes are escaped; those in the texts of a lease are
// as well, and so can't be taken for its own.
func read(e *audit.Event) (s said) {
	if e.Level < audit.LevelRequest {
		return s
	}
	quote := `"`
	if e.Resource != resLeases {
		quote = `\"`
	}
	value := valueOf(e.Raw, "leaseDurationSeconds", quote)
	const maxDigits = 6
	for i := 0; i < min(len(value), maxDigits) && value[i] >= '0' && value[i] <= '9'; i++ {
		s.seconds = 10*s.seconds + int64(value[i]-'0')
	}
	holder, found := bytes.CutPrefix(valueOf(e.Raw, "holderIdentity", quote), []byte(quote))
	if !found {
		return s
	}
	switch end := bytes.Index(holder, []byte(quote)); {
	case end == 0:
		s.released = true
	case end > 0 && end <= maxIdentity && bytes.IndexByte(holder[:end], '\\') < 0:
		s.holder = hostOf(holder[:end])
	}
	return s
}

// valueOf returns a text from the value on that a field has, nothing without one.
func valueOf(text audit.View, field, quote string) []byte {
	var room [64]byte
	_, rest, _ := bytes.Cut(text, append(append(append(room[:0], quote...), field...), quote...))
	return bytes.TrimLeft(rest, ": ")
}

// maxIdentity is the longest identity, in bytes, that a holder is known by: a
// host's name, of 253 at most, and a UUID.
const maxIdentity = 300

// hostOf returns whom an identity names. That of client-go is the name of the
// host or pod, and behind it a UUID that each process makes anew: a container
// that is started again is no other candidate.
func hostOf(identity audit.View) audit.View {
	const uuid = len("_00000000-0000-0000-0000-000000000000")
	at := len(identity) - uuid
	if at <= 0 || identity[at] != '_' {
		return identity
	}
	for _, dash := range []int{9, 14, 19, 24} {
		if identity[at+dash] != '-' {
			return identity
		}
	}
	return identity[:at]
}

// is reports whether two are one holder, as far as the log tells: those whom
// bodies name by their names, others by their user and address.
func (h *Holder) is(o *Holder) bool {
	if h == o || h.Name != "" && o.Name != "" {
		return h == o || h.Name == o.Name
	}
	return h.User == o.User && h.SourceIP == o.SourceIP
}

func (h *Holder) who() string {
	var who strings.Builder
	who.WriteString(h.User)
	if h.User == "" {
		who.WriteString("an unknown user")
	}
	if h.SourceIP != "" {
		who.WriteString(" at " + h.SourceIP)
	}
	if h.Name != "" {
		who.WriteString(" (" + h.Name + ")")
	}
	return who.String()
}
