package parser

import "math/bits"

// skipFast does what skip does for an object without spaces between its
// tokens, where the processor can mark bytes fast. It returns 0 if it can't say
// where the object ends, or whether it is one: skip can.
func skipFast(b []byte, i int) int {
	const worthwhile = 4 * markedBlock
	if !hasAVX2 || len(b)-i < worthwhile {
		return 0
	}
	return skipBlocks(b, i)
}

// skipBlocks checks the grammar of 64 bytes at once. Without spaces, what may
// follow a token is a matter of the next byte: a mark for each kind of token,
// shifted by one, must fall on marks of what may follow it. What may follow a
// comma depends on what it stands in, so where there are lists brackets are
// gone through one by one; empty objects and lists, of which bodies are full,
// cost nothing.
func skipBlocks(b []byte, i int) int {
	if len(b)-i < markedBlock || b[i] != '{' || b[i+1] == '}' {
		return 0
	}
	var batch [8]marks
	g := grammar{open: 1}
	for {
		n := min((len(b)-i)/markedBlock, len(batch))
		if n == 0 {
			return 0 // what is left may be done as well by skip
		}
		mark(b[i:], batch[:n])
		for k := range n {
			end := g.block(b, i, &batch[k])
			if end != 0 {
				return max(0, end)
			}
			i += markedBlock
		}
	}
}

// A grammar is what skipBlocks knows where a block begins. What stands for one
// byte is its lowest bit.
type grammar struct {
	open      uint64 // as objects in skip
	escaped   uint64 // the first byte is escaped
	inString  uint64 // all bits, if the first byte is in a string
	inKey     uint64 // and that is a key
	separator uint64 // before it is a comma or an opening bracket
	opening   uint64 // before it is an opening bracket
	colon     uint64 // before it is a colon
	key       uint64 // before it a key ends
	value     uint64 // before it a string ends that is a value, or an object or list
	scalar    uint64 // before it is a part of a number, or of true, false or null
}

// block takes in the block at i. It returns the index after the object if that
// ends here, -1 if it is not to be decided here, or 0.
func (g *grammar) block(b []byte, i int, m *marks) int {
	escaped := uint64(0)
	if m.slash|g.escaped != 0 {
		escaped = g.escapes(m.slash)
	}
	quotes := m.quote &^ escaped
	text := untilNext(quotes) ^ g.inString // from a quote on to before the next
	g.inString = uint64(int64(text) >> 63)
	begin, end := quotes&text, quotes&^text
	token := ^(text | end)
	comma, colon := m.comma&token, m.colon&token
	opening, closing := m.opening&token, m.closing&token
	scalar := token &^ (comma | colon | opening | closing)
	scalars := scalar &^ (scalar<<1 | g.scalar) // where they begin

	empty := opening & (closing >> 1) &^ (m.brace ^ m.brace>>1)
	up, down := opening&^empty, closing&^(empty<<1)
	inObject, limit, last := ^uint64(0), ^uint64(0), 0
	if !g.amongObjects(up, down, m.brace) {
		if inObject, limit = g.brackets(up, down, m.brace); limit == 0 {
			return -1
		}
		if g.open == 1 {
			last = i + bits.Len64(limit)
		}
	}

	separator := comma | opening
	afterSeparator, afterOpening := separator<<1|g.separator, opening<<1|g.opening
	keys := begin & afterSeparator & inObject
	sum, inKey := bits.Add64(text, keys, g.inKey) // carries each key's beginning to its end
	keyEnd := sum & end
	value := end&^keyEnd | closing
	starts := begin | opening | scalars
	bad := m.control&text |
		afterSeparator&^(begin|starts&^inObject|closing&afterOpening) |
		(colon<<1|g.colon)&^starts |
		colon ^ (keyEnd<<1 | g.key) |
		(value<<1|g.value|(scalar<<1|g.scalar)&^scalar)&^(comma|closing)
	if bad&limit != 0 {
		return -1
	}
	g.separator, g.opening, g.colon = separator>>63, opening>>63, colon>>63
	g.key, g.value, g.scalar, g.inKey = keyEnd>>63, value>>63, scalar>>63, inKey

	if odd := escaped & text & limit &^ (m.quote | m.slash); odd != 0 && !areEscapes(b, i, odd) {
		return -1
	}
	if scalars &= limit; scalars != 0 && !areScalars(b, i, scalars) {
		return -1
	}
	return last
}

// amongObjects counts the brackets of a block that opens and closes objects
// alone, and closes none that is in a list or is the whole. It reports false
// if the block is another one: most are not.
func (g *grammar) amongObjects(up, down, brace uint64) bool {
	ups, downs := bits.OnesCount64(up), bits.OnesCount64(down)
	inner := bits.TrailingZeros64(^g.open)
	if g.open>>inner == 0 {
		inner-- // the highest bit is for no object
	}
	if (up|down)&^brace != 0 || downs >= inner || bits.Len64(g.open)+ups > maxDepth {
		return false
	}
	g.open = (g.open<<ups | (1<<ups - 1)) >> downs
	return true
}

// brackets goes through the brackets of a block one by one. It returns which
// bytes are members of objects, and up to where they are parts of the value
// that is read: all, or up to its end; none if a bracket stands wrongly.
func (g *grammar) brackets(up, down, brace uint64) (inObject, limit uint64) {
	rest := ^uint64(0) // of the block, from the last bracket on
	for left := up | down; left != 0; left &= left - 1 {
		bit := left & -left
		before := bit | (bit - 1)
		inObject |= rest & before & -(g.open & 1)
		rest = ^before
		isBrace := brace >> bits.TrailingZeros64(bit) & 1
		if up&bit != 0 {
			if g.open>>maxDepth != 0 {
				return 0, 0
			}
			g.open = g.open<<1 | isBrace
			continue
		}
		if g.open&1 != isBrace {
			return 0, 0
		}
		if g.open >>= 1; g.open == 1 {
			return inObject, before
		}
	}
	return inObject | rest&-(g.open&1), ^uint64(0)
}

// escapes returns which bytes are escaped, given which are backslashes. Of
// those in a row every other one escapes, from the first on: to subtract them
// from the odd bits and the places behind them borrows along each row, and so
// turns its odd bits.
func (g *grammar) escapes(slash uint64) (escaped uint64) {
	const odd = 0xaaaaaaaaaaaaaaaa
	free := slash &^ g.escaped
	turned := (free<<1 | odd) - free ^ odd
	escaped = turned ^ (slash | g.escaped)
	g.escaped = (turned & slash) >> 63
	return escaped
}

// untilNext sets from each odd bit that is set, the first, the third and so on,
// all bits up to before the next.
func untilNext(x uint64) uint64 {
	x ^= x << 1
	x ^= x << 2
	x ^= x << 4
	x ^= x << 8
	x ^= x << 16
	return x ^ x<<32
}

// areEscapes reports whether what is marked, in the block at i, may stand
// behind a backslash.
func areEscapes(b []byte, i int, marked uint64) bool {
	for ; marked != 0; marked &= marked - 1 {
		at := i + bits.TrailingZeros64(marked)
		if b[at] == 'u' && len(b)-at >= 5 {
			if _, ok := hex4(b[at+1 : at+5]); !ok {
				return false
			}
		} else if plainEscape[b[at]] == 0 {
			return false
		}
	}
	return true
}

// areScalars reports whether a number, true, false or null begins at each place
// that is marked, in the block at i, and ends before something else.
func areScalars(b []byte, i int, marked uint64) bool {
	for ; marked != 0; marked &= marked - 1 {
		end := skipScalar(b, i+bits.TrailingZeros64(marked))
		if end < 0 || end >= len(b) || b[end] != ',' && b[end] != '}' && b[end] != ']' {
			return false
		}
	}
	return true
}
