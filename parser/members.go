package parser

// A key is one of those by which envelopes are known.
type key uint8

// A keySet is a set of keys.
type keySet uint64

func keysOf(keys ...key) (s keySet) {
	for _, k := range keys {
		s |= 1 << k
	}
	return s
}

// members are where the values of known keys stand in an object.
type members struct {
	set keySet
	at  [64]struct{ start, end int }
}

// scan looks for the keys of the object in b. It reports false if b is not one
// object and nothing more, or has a key with an escape.
func (m *members) scan(b []byte) bool {
	m.set = 0
	i, empty := enter(b, 0, '{', '}')
	if i < 0 || empty {
		return false
	}
	for more := true; more; {
		if i >= len(b) || b[i] != '"' {
			return false
		}
		from := i + 1
		end := special(b, from)
		if i = skipKey(b, i); i < 0 || b[end] == '\\' {
			return false
		}
		k, known := knownKeys[string(b[from:end])]
		start := space(b, i)
		if i = skip(b, start); i < 0 {
			return false
		}
		if known {
			m.set |= 1 << k
			m.at[k].start, m.at[k].end = start, i
		}
		if i, more = comma(b, i, '}'); i < 0 {
			return false
		}
	}
	return space(b, i) == len(b)
}

// value returns where the value of a key stands.
func (m *members) value(k key) (s struct{ start, end int }, ok bool) {
	return m.at[k], m.set>>k&1 != 0
}

// firstText returns the first text that one of the paths leads to, as it
// stands between its quotes, or the first number.
func (m *members) firstText(b []byte, paths []path) []byte {
	for i := range paths {
		p := &paths[i]
		s, ok := m.value(p.key)
		for _, step := range p.steps {
			if ok = ok && b[s.start] == '{'; ok {
				s.start, s.end, ok = member(b, s.start, step)
			}
		}
		if !ok || s.end-s.start < 1 {
			continue
		}
		switch c := b[s.start]; {
		case c == '"' && s.end-s.start > 2:
			return b[s.start+1 : s.end-1]
		case isDigit(c):
			return b[s.start:s.end]
		}
	}
	return nil
}
