package parser

import "encoding/binary"

// A hint is a key of an object, with its quotes and colon, made ready to be
// compared eight bytes at a time.
type hint struct {
	name       string
	word, mask uint64
	rest       string // what follows the first eight bytes
	size       int
}

type hintTable []hint

// hints prepares the keys of an object in the order in which they are likely.
func hints(names ...string) hintTable {
	table := make(hintTable, len(names))
	for i, name := range names {
		table[i] = newHint(`"` + name + `":`)
		table[i].name = name
	}
	return table
}

func newHint(text string) hint {
	var first, mask [8]byte
	for i := range copy(first[:], text) {
		mask[i] = 0xff
	}
	return hint{
		word: binary.LittleEndian.Uint64(first[:]),
		mask: binary.LittleEndian.Uint64(mask[:]),
		rest: text[min(8, len(text)):],
		size: len(text),
	}
}

// match reads the key at i and its colon. It returns the key's index in the
// table, or -1 if it is not there, and the index of what follows. The key that
// stands at next is expected, then those after it.
func (table hintTable) match(b []byte, i, next int) (id, after int) {
	if len(b)-i < 8 {
		return table.search(b, i)
	}
	w := binary.LittleEndian.Uint64(b[i:])
	for k := next; k < len(table); k++ {
		h := &table[k]
		if w&h.mask == h.word && table[k].follows(b, i) {
			return k, i + h.size
		}
	}
	for k := range min(next, len(table)) {
		h := &table[k]
		if w&h.mask == h.word && h.follows(b, i) {
			return k, i + h.size
		}
	}
	return table.search(b, i)
}

func (h *hint) follows(b []byte, i int) bool {
	return h.rest == "" || len(b)-i >= h.size && string(b[i+8:i+h.size]) == h.rest
}

// search does what match does, for unknown keys and spaces before the colon.
// Whether an escaped key is a known one is not for fast to say.
func (table hintTable) search(b []byte, i int) (id, after int) {
	start := i + 1
	if i >= len(b) || b[i] != '"' {
		return -1, -1
	}
	end := special(b, start)
	if end >= len(b) || b[end] != '"' {
		return -1, -1
	}
	after = space(b, end+1)
	if after >= len(b) || b[after] != ':' {
		return -1, -1
	}
	for k := range table {
		if string(b[start:end]) == table[k].name {
			return k, after + 1
		}
	}
	return -1, after + 1
}

// space returns the index of the first byte from i on that is no JSON space.
func space(b []byte, i int) int {
	if i < len(b) && b[i] > ' ' {
		return i
	}
	return spaces(b, i)
}

func spaces(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// enter reads an opening bracket, and the closing one if it follows.
func enter(b []byte, i int, opening, closing byte) (after int, empty bool) {
	i = space(b, i)
	if i >= len(b) || b[i] != opening {
		return -1, false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == closing {
		return i + 1, true
	}
	return i, false
}

// comma reads what stands between two members, or closes the object or array.
func comma(b []byte, i int, closing byte) (after int, more bool) {
	if i = space(b, i); i >= len(b) {
		return -1, false
	}
	switch b[i] {
	case ',':
		return space(b, i+1), true
	case closing:
		return i + 1, false
	}
	return -1, false
}

// null reads null.
func null(b []byte, i int) (after int, ok bool) {
	if len(b)-i >= 4 && string(b[i:i+4]) == "null" {
		return i + 4, true
	}
	return i, false
}
