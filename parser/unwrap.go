package parser

import (
	"bytes"
	"slices"

	"github.com/kaudit/kaudit/parser/unpack"
)

// One rule of unwrapping covers most carriers: an event is taken; a known carrier
// is opened, and the texts that it held are looked at in the same way, to a
// bounded depth. JSON objects are recognized by their keys (envelopes), text by
// what stands before the first brace (prefixes).
//
// What a carrier is must show in the text itself, never in the lines before it,
// since workers begin at any line. Earlier lines only decide what is tried first.

// An unwrapper is a worker's memory of what it unwraps. Texts stay valid until
// release.
type unwrapper struct {
	texts     []text // still to be looked at, the next one last
	arena     []byte // memory for texts without their escapes
	field     []byte // memory for a field of a CSV
	spans     []span
	members   members
	pieces    [outputs]piece
	fleeting  bool                  // texts were joined of pieces, whose memory the next ones use again
	joined    int64                 // offset of the first piece of the lines that are open
	inflated  int                   // bytes that blobs of the record were unpacked to
	enveloped [maxCarriers + 1]bool // by depth, whether the last object was an envelope
	part      *Part                 // the part that enveloped is about
}

// maxArena is how many bytes of the arena a batch may take, but for its last
// record.
const maxArena = 1 << 19

// start makes u ready for a chunk.
func (u *unwrapper) start(c *Chunk) {
	u.texts = u.texts[:0]
	if u.part != c.Part {
		u.part, u.enveloped = c.Part, [maxCarriers + 1]bool{}
	}
}

// release makes the memory of texts available again, unless texts of a record are
// still to be looked at.
func (u *unwrapper) release() {
	if len(u.texts) > 0 {
		return
	}
	u.fleeting, u.inflated = false, 0
	if u.arena = u.arena[:0]; cap(u.arena) > 2*maxArena {
		u.arena = nil
	}
}

// turn reverses the texts from first on. They were held in the order in which they
// stand, but the last one that is held comes first.
func (u *unwrapper) turn(first int) {
	slices.Reverse(u.texts[first:])
}

// read takes t as an event, or opens it, or refuses it. It reports whether
// there is an event.
func (d *Decoder) read(t *text) bool {
	if t.real > 0 {
		d.openRest(t)
		return false
	}
	var v verdict
	if t.data[0] == '{' {
		v = d.readObject(t)
	} else {
		v = d.readText(t)
	}
	switch {
	case v == decoded:
		return true
	case v == held || d.openWide(t):
		return false
	}
	kind := kindOf(v)
	if t.long && kind != OwnLog {
		kind = Oversize
	}
	d.refuse(kind, t)
	return false
}

// readObject takes t, which begins as a JSON object, as an event or opens it. If
// the last object was an envelope, it tries that first.
func (d *Decoder) readObject(t *text) verdict {
	if t.depth == maxCarriers {
		return d.decode(t)
	}
	enveloped := &d.enveloped[t.depth]
	tried := *enveloped
	if tried && d.openEnvelope(t) || t.depth > 0 && d.openLabelled(t) {
		return held
	}
	v := d.decode(t)
	if v == decoded {
		*enveloped = false
		return decoded
	}
	*enveloped = !tried && d.openEnvelope(t)
	if *enveloped || d.openValues(t) || v == truncated && (d.mend(t) || d.openTorn(t)) || d.openRunOn(t) {
		return held
	}
	return v
}

// readText opens t, which is no JSON object, or takes it as a line of an own log.
func (d *Decoder) readText(t *text) verdict {
	if t.depth < maxCarriers && d.openText(t) {
		return held
	}
	return d.readLine(t)
}

func (d *Decoder) openText(t *text) bool {
	if c := t.data[0]; c != '[' && c != '"' {
		return d.openPrefix(t)
	}
	return d.openString(t) || beginsList(t.data) && d.openValues(t) || d.openPrefix(t) || d.openValues(t) || d.openRunOn(t)
}

// openWide opens a line in UTF-16 or UTF-32 that follows others in UTF-8.
func (d *Decoder) openWide(t *text) bool {
	if t.depth > 0 {
		return false
	}
	from := len(d.arena)
	arena, ok := unpack.Wide(d.arena, t.data)
	if !ok || isBlankText(arena[from:]) {
		return false
	}
	d.arena = arena
	d.hold(t.holding(arena[from:], 0))
	return true
}

// openString opens a text that is a JSON string, as jq prints one without -r.
func (d *Decoder) openString(t *text) bool {
	if t.data[0] != '"' {
		return false
	}
	from := len(d.arena)
	arena, end := unquote(d.arena, t.data, 1)
	if end != len(t.data) || isBlankText(arena[from:]) {
		return false
	}
	d.arena = arena
	d.hold(t.holding(arena[from:], 0))
	return true
}

// hold keeps a text to be looked at, without the blanks around it.
func (d *Decoder) hold(t text) {
	value, skipped := trimBlanks(bytes.TrimRight(t.data, "\n"))
	if len(value) == 0 {
		return
	}
	t.data = value
	t.offset += int64(skipped)
	d.texts = append(d.texts, t)
}
