package parser

// markedBlock is how many bytes have their marks in one word each.
const markedBlock = 64

// marks say of 64 bytes which of them are what, the first byte in the lowest
// bit. They know nothing of strings: a comma in one has its mark, too.
type marks struct {
	slash   uint64 // backslashes
	quote   uint64
	control uint64 // control characters
	comma   uint64
	colon   uint64
	opening uint64 // { and [
	closing uint64 // } and ]
	brace   uint64 // of these, which is { or }; anything for others
}

// markPlainly is what mark does on any processor.
func markPlainly(b []byte, to []marks) {
	for i := range to {
		m := marks{}
		for j, c := range b[i*markedBlock:][:markedBlock] {
			bit := uint64(1) << j
			switch {
			case c < ' ':
				m.control |= bit
			case c == '\\':
				m.slash |= bit
			case c == '"':
				m.quote |= bit
			case c == ',':
				m.comma |= bit
			case c == ':':
				m.colon |= bit
			case c == '{' || c == '[':
				m.opening |= bit
			case c == '}' || c == ']':
				m.closing |= bit
			}
			if c&0x20 != 0 {
				m.brace |= bit
			}
		}
		to[i] = m
	}
}
