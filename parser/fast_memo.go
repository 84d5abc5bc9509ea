package parser

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/kaudit/kaudit/audit"
)

// A log tells the same again and again: the same few hundred users with their
// groups, the same reasons why a request was allowed. A memo keeps the bytes
// of such a value and what they were read as. A JSON value ends itself, so
// bytes that begin like those of one that was read are that value.
//
// Memos are tables with one place a hash: what falls on a place takes it. Their
// size bounds memory to four megabytes a worker, and takes one in practice.
const (
	memoPlaces  = 1024
	maxMemoSize = 1 << 10 // of a value worth keeping
)

type userPlace struct {
	raw    []byte
	user   audit.Sym
	groups []audit.Sym
}

// user reads the user of an event.
func (f *fast) user(b []byte, i int, e *audit.Event) int {
	const window = 80 // from the bracket on: key, name, and often uid
	if len(b)-i < window {
		return f.members(b, i, userKeys, e, (*fast).userField)
	}
	place := &f.users[sum(b[i+16:i+window])%memoPlaces]
	if n := len(place.raw); n > 0 && n <= len(b)-i && bytes.Equal(b[i:i+n], place.raw) {
		e.User = place.user
		e.Groups = append(e.Groups, place.groups...)
		return i + n
	}
	after := f.members(b, i, userKeys, e, (*fast).userField)
	if after > 0 && after-i <= maxMemoSize && b[i] == '{' {
		place.raw = append(place.raw[:0], b[i:after]...)
		place.user = e.User
		place.groups = append(place.groups[:0], e.Groups...)
	}
	return after
}

// A clientPlace keeps the source IPs and the user agent of a request, which
// follow its user.
type clientPlace struct {
	raw   []byte
	agent audit.Sym
	ips   []audit.Sym
}

// client reads the source IPs and the user agent that follow a user, or returns
// 0 if something else does.
func (f *fast) client(b []byte, i int, e *audit.Event) int {
	const window = 64
	if len(b)-i < window {
		return 0
	}
	place := &f.clients[sum(b[i:i+window])%memoPlaces]
	if n := len(place.raw); n > 0 && n <= len(b)-i && bytes.Equal(b[i:i+n], place.raw) {
		e.UserAgent = place.agent
		e.SourceIPs = append(e.SourceIPs, place.ips...)
		return i + n
	}
	if !follows(b, i, `,"sourceIPs":`) {
		return 0
	}
	start := i
	e.SourceIPs, i = f.symList(b, i+len(`,"sourceIPs":`), e.SourceIPs)
	if !follows(b, i, `,"userAgent":"`) {
		return 0
	}
	if e.UserAgent, i = f.sym(b, i+len(`,"userAgent":`)); i < 0 {
		return 0
	}
	if i-start <= maxMemoSize {
		place.raw = append(place.raw[:0], b[start:i]...)
		place.agent = e.UserAgent
		place.ips = append(place.ips[:0], e.SourceIPs...)
	}
	return i
}

// A noteMemo keeps annotations that end an event, as they do where the API
// server wrote it: the hash is of the line's end, since the beginnings are
// all the same.
type noteMemo struct{ places [memoPlaces]notePlace }

type notePlace struct {
	raw   []byte
	text  []byte // the notes' values, one after the other
	notes []noteEnd
}

// A noteEnd is an annotation's key and where its value ends.
type noteEnd struct {
	key audit.Sym
	end int
}

// recall appends to e the annotations at i, up to the end of the event, if it
// knows them. It returns the index after them, or 0. Their values are copied:
// the place may be another's before the event is looked at.
func (f *fast) recall(b []byte, i int, e *audit.Event) int {
	end := len(b) - 1
	place := f.notes.place(b, i, end)
	if place == nil || !bytes.Equal(b[i:end], place.raw) {
		return 0
	}
	start := len(f.scratch)
	f.scratch = append(f.scratch, place.text...)
	text, from := f.scratch[start:], 0
	for _, note := range place.notes {
		e.Annotations = append(e.Annotations, audit.Annotation{Key: note.key, Value: text[from:note.end:note.end]})
		from = note.end
	}
	return end
}

// keep remembers that e's annotations stand at b[start:end].
func (m *noteMemo) keep(b []byte, start, end int, e *audit.Event) {
	place := m.place(b, start, end)
	if place == nil || end != len(b)-1 || b[start] != '{' {
		return
	}
	place.raw = append(place.raw[:0], b[start:end]...)
	place.text, place.notes = place.text[:0], place.notes[:0]
	for _, note := range e.Annotations {
		place.text = append(place.text, note.Value...)
		place.notes = append(place.notes, noteEnd{note.Key, len(place.text)})
	}
}

func (m *noteMemo) place(b []byte, i, end int) *notePlace {
	const window = 64
	if end-i < window || end-i > maxMemoSize {
		return nil
	}
	return &m.places[(sum(b[end-window:end])+uint64(end-i))%memoPlaces]
}

// sum hashes 64 bytes. It is fast and easy to collide with: no more than a
// guess where to look.
func sum(b []byte) uint64 {
	_ = b[63]
	le := binary.LittleEndian
	return fold(le.Uint64(b), le.Uint64(b[8:])) ^ fold(le.Uint64(b[16:]), le.Uint64(b[24:])) ^
		fold(le.Uint64(b[32:]), le.Uint64(b[40:])) ^ fold(le.Uint64(b[48:]), le.Uint64(b[56:]))
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xc2b2ae3d27d4eb4f)
	return hi ^ lo
}
